package wire

import "strings"

// Request returns the bytes that Read sends.
func (r *RepeatedRead) Request() []byte { return r.in.bytes }

// Service returns the full name of the schema's service.
func (s *Schema) Service() string { return strings.Split(s.open.path, "/")[1] }
