package wire

import (
	"bytes"
	"testing"
	"testing/iotest"
)

func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		"$5\r\nhello\r\n", "$-1\r\n", "+OK\r\n", ":1\r\n", "-ERR no\r\n", "*2\r\n$1\r\na\r\n$-1\r\n", "$99999999999\r\n", "*1\r\n*1\r\n", "\r\n", "$0\r\n\r\n+",
		oneRange, "%1\r\n+a\r\n,1.5\r\n", "|1\r\n+a\r\n#t\r\n~1\r\n(12\r\n", "=5\r\ntxt:a\r\n", "!5\r\nERR x\r\n", "_\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		pipelined := func(c *Conn) (string, error) {
			p := &collected{requests: []Request{{Verb: Get}, {Verb: Set}, {Verb: Delete}, {Verb: Touch}, {Verb: Get}}}
			_, err := c.Pipeline(len(p.requests), p, nil)
			all := ""
			for _, answer := range p.answers {
				all += answer
			}

			return all, err
		}
		for _, run := range []func(c *Conn) (string, error){get("k"), do(Request{Verb: Set}), do(Request{Verb: Touch}), multi("a", "b"), info(""), pipelined, slots, call("x")} {
			whole, _ := connected(t, bytes.NewReader(said))
			cut, _ := connected(t, iotest.OneByteReader(bytes.NewReader(said)))
			got, err := run(whole)
			if again, other := run(cut); again != got || (other == nil) != (err == nil) || err != nil && other.Error() != err.Error() {
				t.Fatalf("whole %q, %v; cut %q, %v", got, err, again, other)
			}
			if err != nil && len(err.Error()) > 400 {
				t.Fatalf("an error of %d bytes", len(err.Error()))
			}
		}
	})
}
