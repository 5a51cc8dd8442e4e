package wire

import (
	"bytes"
	"strings"
)

const maxStats = 100_000

// Stat is one line of the server's statistics.
type Stat struct {
	Name, Value string
}

// Stats returns statistics: the general ones for "", others for settings, items, slabs, conns and
// so on. "reset" resets them and returns none. "cachedump" and "detail dump" are errors of kind
// usage: their output has another format.
func (c *Conn) Stats(argument string) ([]Stat, error) {
	stats, err := c.stats(argument)
	if err != nil {
		return nil, err
	}

	return stats, nil
}

func (c *Conn) stats(argument string) ([]Stat, *Error) {
	for _, b := range []byte(argument) {
		if b < ' ' || b == 0x7f || len(argument) > maxKey {
			return nil, Errorf(KindUsage, "stats does not support %s", quoted([]byte(argument)))
		}
	}
	if words := strings.Fields(argument); len(words) > 0 && (words[0] == "cachedump" || len(words) > 1 && words[1] == "dump") {
		return nil, Errorf(KindUsage, "stats does not support %s, which lists keys", quoted([]byte(argument)))
	}
	if err := c.begin(); err != nil {
		return nil, err
	}
	b := append(c.line(), "stats"...)
	if argument != "" {
		b = append(append(b, ' '), argument...)
	}
	if err := c.writeLine(b); err != nil {
		return nil, err
	}
	if err := c.flush(); err != nil {
		return nil, err
	}

	return c.readStats()
}

func (c *Conn) readStats() ([]Stat, *Error) {
	var stats []Stat
	for len(stats) < maxStats {
		line, err := c.readAnswer(Version)
		if err != nil {
			return nil, err
		}
		if word := string(line); word == "END" || word == "RESET" || word == "OK" {
			return stats, nil
		}
		stat, ok := bytes.CutPrefix(line, []byte("STAT "))
		if !ok {
			return nil, c.fail(unexpected(line))
		}
		name, value := nextWord(stat)
		stats = append(stats, Stat{string(name), string(value)})
	}

	return nil, c.fail(Errorf(KindProtocol, "the server sent more than %d lines of statistics", maxStats))
}
