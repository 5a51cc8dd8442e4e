package wire

import (
	"strconv"
	"strings"
)

// IsSubject says whether a message can be published for a subject.
func IsSubject(subject string) bool {
	return subject != "" && !strings.ContainsAny(subject, " \t\r\n")
}

// AppendPublish appends a message as it is sent: PUB, its subject, the subject for answers if there
// is one, its size and its bytes; or HPUB with a header, whose size is told as well:
// https://docs.nats.io/reference/reference-protocols/nats-protocol#pub
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
