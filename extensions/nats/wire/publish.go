package wire

import (
	"strconv"
	"strings"
)

// IsSubject reports whether messages can be published to a subject.
func IsSubject(subject string) bool {
	return subject != "" && !strings.ContainsAny(subject, " \t\r\n")
}

// AppendPublish appends a PUB, or an HPUB if there is a header:
// https://docs.nats.io/reference/reference-protocols/nats-protocol#pub. The reply subject may be
// empty.
func AppendPublish[S string | []byte](b []byte, subject, reply S, header, data []byte) []byte {
	if header != nil {
		b = append(b, 'H')
	}
	b = append(b, "PUB "...)
	b = append(b, subject...)
	b = append(b, ' ')
	if len(reply) > 0 {
		b = append(b, reply...)
		b = append(b, ' ')
	}
	if header != nil {
		b = strconv.AppendInt(b, int64(len(header)), 10)
		b = append(b, ' ')
	}
	b = strconv.AppendInt(b, int64(len(header)+len(data)), 10)
	b = append(b, "\r\n"...)
	b = append(b, header...)
	b = append(b, data...)

	return append(b, "\r\n"...)
}
