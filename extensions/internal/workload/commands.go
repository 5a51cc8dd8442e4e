package workload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
)

// CommandOptions describe a command in the store's own protocol. In its words, {key} is replaced by
// the drawn key, and {value} by that key's value.
type CommandOptions struct {
	Op    string        `json:"op"` // name of the operation
	Args  Words         `json:"args"`
	Share *float64      `json:"share"` // relative to the other commands; default 1
	Reply *ReplyOptions `json:"reply"` // nil accepts any reply but an error
}

// ReplyOptions describe the expected reply. Omitted fields accept anything.
type ReplyOptions struct {
	Type  string  `json:"type"`
	Value *string `json:"value"` // may contain {key} and {value}
}

// Words are a command's strings and numbers.
type Words []string

// UnmarshalJSON reads an array of strings and numbers.
func (w *Words) UnmarshalJSON(raw []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var all []any
	if err := decoder.Decode(&all); err != nil {
		return errWords
	}
	for _, word := range all {
		switch word := word.(type) {
		case string:
			*w = append(*w, word)
		case json.Number:
			*w = append(*w, word.String())
		default:
			return errWords
		}
	}

	return nil
}

var errWords = errors.New("option commands.args must be an array of strings and numbers: the command's name and its arguments")

// Commander is a Pipeliner that runs commands in its own protocol.
type Commander interface {
	Pipeliner
	// CheckCommand returns an error if the store cannot run these words, or never replies with this
	// type, which may be "" for any.
	CheckCommand(words []string, reply string) error
}

const (
	maxCommands = 100
	maxWords    = 1000
)

var opName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

func (o *Options) checkCommands() error {
	if len(o.Commands) == 0 {
		return nil
	}
	switch {
	case o.Mix != Defaults().Mix:
		return errors.New("options mix and commands cannot both be given: commands have shares of their own")
	case len(o.Commands) > maxCommands:
		return fmt.Errorf("option commands must hold at most %d commands, not %d", maxCommands, len(o.Commands))
	}
	names := map[string]bool{}
	for i := range o.Commands {
		c := &o.Commands[i]
		switch {
		case !opName.MatchString(c.Op):
			return fmt.Errorf("option commands[%d].op must be a name: a letter, and then letters, digits, - _ and ., not %q", i, c.Op)
		case names[c.Op]:
			return fmt.Errorf("option commands[%d].op is %q, which another command has: give each a name of its own", i, c.Op)
		case len(c.Args) == 0 || len(c.Args) > maxWords || c.Args[0] == "":
			return fmt.Errorf("option commands[%d].args must be 1 to %d strings and numbers: the command's name and its arguments", i, maxWords)
		case c.Share != nil && !(*c.Share > 0 && *c.Share <= math.MaxInt32): // also rejects NaN
			return fmt.Errorf("option commands[%d].share must be above 0, not %v", i, *c.Share)
		}
		names[c.Op] = true
	}

	return nil
}

type command struct {
	op    string
	words []pattern
	// key is the index of the word that selects the server: the first with {key}, or else the first
	// argument, or 0.
	key       int
	replyType string
	reply     pattern // nil accepts any
	usesValue bool
	sends     int // number of words with the value
}

func newCommand(o *CommandOptions) *command {
	c := &command{op: o.Op}
	keyed := 0
	for i, word := range o.Args {
		p := parsePattern(word)
		if keyed == 0 && p.has(partKey) {
			keyed = i
		}
		c.words = append(c.words, p)
		if p.has(partValue) {
			c.usesValue = true
			c.sends++
		}
	}
	if c.key = keyed; keyed == 0 && len(o.Args) > 1 {
		c.key = 1
	}
	if o.Reply != nil {
		c.replyType = o.Reply.Type
		if o.Reply.Value != nil {
			c.reply = append(parsePattern(*o.Reply.Value), patternPart{})
			c.usesValue = c.usesValue || c.reply.has(partValue)
		}
	}

	return c
}

// fill reuses the memory of the previous words.
func (c *command) fill(into *Command, key, value []byte) {
	words := into.Words[:0]
	for i, p := range c.words {
		if i < cap(words) {
			words = words[:i+1]
		} else {
			words = append(words, nil)
		}
		words[i] = p.append(words[i][:0], key, value)
	}
	*into = Command{Op: into.Op, Name: c.op, Key: words[c.key], Words: words}
}

func (c *command) check(key, value []byte, replyType string, reply, buf []byte) ([]byte, error) {
	if c.replyType != "" && c.replyType != replyType {
		return buf, fmt.Errorf("%w: the reply is of type %s, not %s", ErrWrongReply, replyType, c.replyType)
	}
	if c.reply == nil {
		return buf, nil
	}
	if buf = c.reply.append(buf[:0], key, value); !bytes.Equal(buf, reply) {
		return buf, ErrWrongReply
	}

	return buf, nil
}

// ErrWrongReply is returned if a reply is not as the option reply describes.
var ErrWrongReply = fmt.Errorf("%w: the reply is not the one that the option reply describes", ErrWrongValue)

type pattern []patternPart

type patternPart struct {
	literal string
	place   string
}

const (
	partKey   = "{key}"
	partValue = "{value}"
)

func parsePattern(text string) (p pattern) {
	for text != "" {
		at, place := len(text), ""
		for _, each := range []string{partKey, partValue} {
			if i := strings.Index(text, each); i >= 0 && i < at {
				at, place = i, each
			}
		}
		p = append(p, patternPart{text[:at], place})
		text = text[at+len(place):]
	}

	return p
}

func (p pattern) has(place string) bool {
	for _, part := range p {
		if part.place == place {
			return true
		}
	}

	return false
}

func (p pattern) append(buf, key, value []byte) []byte {
	for _, part := range p {
		buf = append(buf, part.literal...)
		switch part.place {
		case partKey:
			buf = append(buf, key...)
		case partValue:
			buf = append(buf, value...)
		}
	}

	return buf
}
