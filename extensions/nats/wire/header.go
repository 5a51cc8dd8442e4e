package wire

import (
	"bytes"
	"strings"
)

const headerVersion = "NATS/1.0"

type header []byte

func (h header) status() (code, description []byte) {
	first, _, _ := bytes.Cut(h, []byte("\r\n"))
	rest, is := bytes.CutPrefix(first, []byte(headerVersion))
	if !is {
		return nil, nil
	}
	code, description, _ = bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
	if len(code) == 0 {
		return nil, nil
	}

	return code, bytes.TrimSpace(description)
}

// each returns false if the header is malformed.
func (h header) each(do func(name, value []byte)) bool {
	first, rest, whole := bytes.Cut(h, []byte("\r\n"))
	if !whole || !bytes.HasPrefix(first, []byte(headerVersion)) {
		return false
	}
	for {
		var line []byte
		if line, rest, whole = bytes.Cut(rest, []byte("\r\n")); !whole {
			return false
		}
		if len(line) == 0 {
			return len(rest) == 0
		}
		name, value, is := bytes.Cut(line, []byte(":"))
		if !is || len(name) == 0 {
			return false
		}
		do(name, bytes.TrimSpace(value))
	}
}

// EncodeHeader appends a name and a value to a header, nil at first. Line ends in the value become
// spaces; the name must be valid.
func EncodeHeader(h []byte, name, value string) []byte {
	if h == nil {
		h = append(h, headerVersion+"\r\n\r\n"...)
	}
	h = append(h[:len(h)-len("\r\n")], name...)
	h = append(h, ": "...)
	from := len(h)
	h = append(h, strings.Trim(value, " \t\r\n")...)
	for i := from; i < len(h); i++ {
		if h[i] == '\r' || h[i] == '\n' {
			h[i] = ' '
		}
	}

	return append(h, "\r\n\r\n"...)
}

// IsHeaderName reports whether a header may have this name.
func IsHeaderName(name string) bool {
	for i := range len(name) {
		if name[i] <= ' ' || name[i] > '~' || name[i] == ':' {
			return false
		}
	}

	return name != ""
}
