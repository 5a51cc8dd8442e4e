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

// CommandOptions are a command of the store's own protocol. In its words, {key} stands for the key
// that was drawn, and {value} for that key's value.
type CommandOptions struct {
	Op    string        `json:"op"` // the operation's name
	Args  Words         `json:"args"`
	Share *float64      `json:"share"` // in proportion to the others; default 1
	Reply *ReplyOptions `json:"reply"` // nil: any reply but an error
}

// ReplyOptions say what a command's reply has to be. What is not given may be anything.
type ReplyOptions struct {
	Type  string  `json:"type"`
	Value *string `json:"value"` // may hold {key} and {value}
}

// Words are those of a command: strings and numbers.
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

// Commander is a Pipeliner that runs commands of its own protocol: those of the option commands.
type Commander interface {
	Pipeliner
	// CheckCommand returns an error that says why the store does not run a command with these words,
	// or why none of its replies has the type, which is "" for any.
	CheckCommand(words []string, reply string) error
}

// Bounds of the option commands.
const (
	maxCommands = 100
	maxWords    = 1000
)

// opName is what the name of an operation may be.
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
			return fmt.Errorf("option commands[%d].op must be the name of an operation: a letter, and then letters, digits, - _ and ., not %q", i, c.Op)
		case names[c.Op]:
			return fmt.Errorf("option commands[%d].op is %q, which another command has: give each a name of its own", i, c.Op)
		case len(c.Args) == 0 || len(c.Args) > maxWords || c.Args[0] == "":
			return fmt.Errorf("option commands[%d].args must be an array of 1 to %d strings and numbers: the command's name and its arguments", i, maxWords)
		case c.Share != nil && !(*c.Share > 0 && *c.Share <= math.MaxInt32): // NaN is neither
			return fmt.Errorf("option commands[%d].share must be above 0, not %v", i, *c.Share)
		}
		names[c.Op] = true
	}

	return nil
}

// command is a command of the option commands, ready to be run.
type command struct {
	op    string
	words []pattern
	// key is the word that says which server of several has the key: the first one with {key}, or
	// else the first argument. It is 0 if there is none.
	key       int
	replyType string
	reply     pattern // nil: any
	usesValue bool
	sends     int // how many words have the value
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

// fill makes the command of a key. Its words are in the memory of those before it.
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

// check returns an error if a reply is not what it has to be.
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

// ErrWrongReply is why a command of the option commands has failed whose reply is not the one that
// the option reply describes.
var ErrWrongReply = fmt.Errorf("%w: the reply is not the one that the option reply describes", ErrWrongValue)

// pattern is a text with places for a key and its value.
type pattern []patternPart

// patternPart is a literal text, or a place.
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
