package memcached

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

var metaVerbs = map[string]wire.Verb{ //nolint:gochecknoglobals // a table
	"mg": wire.MetaGet, "ms": wire.MetaSet, "md": wire.MetaDelete, "ma": wire.MetaArithmetic,
}

const (
	codeDone, codeValue, codeMiss, codeNotFound, codeNotStored, codeExists = "HD", "VA", "EN", "NF", "NS", "EX"
)

// CheckCommand implements workload.Commander.
func (s *store) CheckCommand(words []string, reply string) error {
	verb, known := metaVerbs[words[0]]
	codes := []string{codeDone, codeValue, codeMiss, codeNotFound, codeNotStored, codeExists}
	switch {
	case !known:
		return fmt.Errorf("args: the command must be one of the meta protocol: mg, ms, md or ma, not %q", words[0])
	case len(words) < 2:
		return fmt.Errorf("args: %s needs a key", words[0])
	case verb == wire.MetaSet && len(words) < 3:
		return fmt.Errorf("args: ms needs a key and a value, such as ['ms', '{key}', '{value}', 'T60']")
	case reply != "" && !slices.Contains(codes, reply):
		return fmt.Errorf("reply.type must be %s, not %q", strings.Join(codes, ", "), reply)
	}
	flags := words[2:]
	if verb == wire.MetaSet {
		flags = words[3:]
	}
	if err := wire.CheckFlags(strings.Join(flags, " ")); err != nil {
		return fmt.Errorf("args: %w", err)
	}

	return nil
}

// The words of a meta command are its name, its key, the value of an ms, and flags.
func requestOf(command *workload.Command, key []byte) wire.Request {
	if command.Words == nil {
		return wire.Request{Verb: verbs[command.Op], Key: key, Value: command.Value, Expire: int32(command.TTL)}
	}
	q := wire.Request{Verb: metaVerbs[string(command.Words[0])], Key: key}
	flags := command.Words[2:]
	if q.Verb == wire.MetaSet {
		q.Value, flags = flags[0], flags[1:]
	}
	if len(flags) > 0 {
		q.Meta = bytes.Join(flags, []byte(" "))
	}

	return q
}

func metaCode(verb wire.Verb, a *wire.Reply) string {
	switch {
	case a.HasValue:
		return codeValue
	case a.Status == wire.OK:
		return codeDone
	case a.Status == wire.NotStored:
		return codeNotStored
	case a.Status == wire.Exists:
		return codeExists
	case verb == wire.MetaGet:
		return codeMiss
	default:
		return codeNotFound
	}
}
