package wire

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const answer = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"

func frame(head byte, said string) string {
	switch {
	case len(said) < length16:
		return string([]byte{head, byte(len(said))}) + said
	case len(said) < 1<<16:
		return string(binary.BigEndian.AppendUint16([]byte{head, length16}, uint16(len(said)))) + said
	default:
		return string(binary.BigEndian.AppendUint64([]byte{head, length64}, uint64(len(said)))) + said
	}
}

func checkSocket(said string, step int) (passed string, err error) {
	var s Socket
	for at := 0; at < len(said); at += step {
		n, err := s.Check([]byte(said[at:min(at+step, len(said))]))
		if err != nil {
			return said[:at+n], err
		}
	}

	return said, nil
}

func TestFramesPass(t *testing.T) {
	large := strings.Repeat("x", 70_000)
	for _, said := range []string{
		answer + frame(0x82, info) + frame(0x82, "PING\r\n"),
		answer + frame(0x82, info+"MSG a 1 70000\r\n"+large+"\r\n"),
		answer + frame(0x02, info+"MSG a 1 5\r\nhe") + frame(0x89, "MSG a 1 99999999\r\n") + frame(0x00, "") + frame(0x80, "llo\r\n"),
		answer + frame(0x88, "MSG a 1 99999999\r\n"),
		"HTTP/1.1 403 Forbidden\r\n\r\nMSG a 1 99999999\r\n\xff\xff",
		"HTTP/1.1 101 Switching Protocols\n\n" + frame(0x82, info),
	} {
		for _, step := range []int{1, 3, len(said)} {
			passed, err := checkSocket(said, step)
			require.NoError(t, err, "%.60q", said)
			require.Equal(t, said, passed)
		}
	}
}

func TestExcessiveFramesDoNotPass(t *testing.T) {
	for said, says := range map[string]string{
		frame(0x82, "MSG a 1 4611686018427387904\r\n"):                       "the server announces a message of 4611686018427387904 bytes",
		frame(0x02, "MSG a 1 46116860184") + frame(0x80, "27387904\r\n"):     "the server announces a message of 4611686018427387904 bytes",
		frame(0xc2, "MSG a 1 1\r\n"):                                         "the server sent an unexpected compressed WebSocket frame",
		"\x82\x7f\x7f\xff\xff\xff\xff\xff\xff\xff":                           "a WebSocket frame of 9223372036854775807 bytes",
		frame(0x82, "-ERR "+strings.Repeat("e", MaxLine)) + frame(0x80, "e"): "the server sent a line of more than",
	} {
		for _, step := range []int{1, 7, 1 << 30} {
			passed, err := checkSocket(answer+frame(0x82, info)+said, min(step, len(answer+said)+len(info)))
			require.ErrorContains(t, err, says, "%.60q", said)
			require.NotContains(t, passed, "4387904\r")
		}
	}
	_, err := checkSocket("HTTP/1.1 101 Yes\r\nX: "+strings.Repeat("x", MaxLine), 4096)
	require.Equal(t, errAnswer, err)
}

func TestCheckOfFramesAllocatesNothing(t *testing.T) {
	said := []byte(frame(0x82, "MSG a.subject 1 100\r\n"+strings.Repeat("x", 100)+"\r\nPING\r\n"))
	var s Socket
	_, err := s.Check([]byte(answer))
	require.NoError(t, err)
	for range 2 {
		require.Zero(t, testing.AllocsPerRun(100, func() {
			if _, err := s.Check(said); err != nil {
				t.Error(err)
			}
		}))
	}
}

func FuzzSocket(f *testing.F) {
	f.Add([]byte(frame(0x82, info)+frame(0x82, "MSG a 1 5\r\nhello\r\n")), 1)
	f.Add([]byte(frame(0x82, "MSG a 1 4611686018427387904\r\n")), 2)
	f.Add([]byte("\x82\x7f\x7f\xff\xff\xff\xff\xff\xff\xff"), 3)
	f.Fuzz(func(t *testing.T, said []byte, step int) {
		said = append([]byte(answer), said...)
		whole, wholeErr := checkSocket(string(said), len(said))
		parts, partsErr := checkSocket(string(said), min(max(1, step), len(said)))
		require.Equal(t, wholeErr, partsErr)
		require.True(t, strings.HasPrefix(parts, whole))
		require.True(t, strings.HasPrefix(string(said), parts))
	})
}
