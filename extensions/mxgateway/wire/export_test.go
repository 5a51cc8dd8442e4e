package wire

import "strings"

// Request is what Read sends.
func (r *RepeatedRead) Request() []byte { return r.in.bytes }

// Service is the full name of the schema's service.
func (s *Schema) Service() string { return strings.Split(s.open.method, "/")[1] }
