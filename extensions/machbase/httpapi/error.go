package httpapi

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// said is what an answer without rows says.
type said struct {
	Success bool   `json:"success"`
	Reason  string `json:"reason"`
	// Error stands in the place of the reason where the server has no session.
	Error string `json:"error"`
}

func (s *said) why() string {
	if s.Reason == "" {
		return s.Error
	}

	return s.Reason
}

const (
	// maxRefusal is how much is read of an answer that is an error.
	maxRefusal = 64 << 10
	// maxReason is how much of its text an error has.
	maxReason = 300
)

// refusal is the error of an answer whose status is not 200.
func refusal(response *http.Response) *cmi.Error {
	raw, _ := io.ReadAll(io.LimitReader(response.Body, maxRefusal))

	return refused(response.StatusCode, raw)
}

func refused(code int, raw []byte) *cmi.Error {
	var s said
	if json.Unmarshal(raw, &s) == nil && s.why() != "" {
		return serverError(code, s.why())
	}
	status := strings.TrimSpace(strconv.Itoa(code) + " " + http.StatusText(code))
	switch code {
	case http.StatusUnauthorized, http.StatusForbidden:
		return cmi.NewError(cmi.KindAuth, "the server answers %s", status)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return cmi.NewError(cmi.KindBusy, "the server answers %s", status)
	}

	return garbage("it is %s; is this the port of machbase-neo's HTTP API?", status)
}

var coded = regexp.MustCompile(`(?s)MACH-ERR (\d{1,9}) *(.*)`)

// serverError is the error that the server reports as text.
func serverError(status int, reason string) *cmi.Error {
	reason = oneLine(reason)
	if match := coded.FindStringSubmatch(reason); match != nil {
		if code, err := strconv.Atoi(match[1]); err == nil && code > 0 {
			return cmi.ServerError(code, match[2])
		}
	}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return cmi.NewError(cmi.KindAuth, "the server says: %s", reason)
	case strings.HasSuffix(reason, "doesn't support append"):
		return cmi.NewError(cmi.KindUsage, "%s", reason)
	}

	return cmi.NewError(cmi.KindServer, "the server says: %s", reason)
}

// oneLine makes text fit an error.
func oneLine(text string) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "?"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if runes := []rune(text); len(runes) > maxReason {
		return string(runes[:maxReason]) + "..."
	}

	return text
}

// garbage is the error of an answer that is none.
func garbage(format string, args ...any) *cmi.Error {
	e := cmi.NewError(cmi.KindProtocol, format, args...)
	e.Message = "the server's answer makes no sense: " + e.Message

	return e
}

var rowsChanged = regexp.MustCompile(`^(a|\d+) rows? `)

// changed reads how many rows a statement changed out of what the server says of it: "a row
// inserted.", "2 rows select and inserted.", "no rows deleted.", "Created successfully.".
func changed(reason string) int64 {
	match := rowsChanged.FindStringSubmatch(reason)
	switch {
	case match == nil:
		return 0
	case match[1] == "a":
		return 1
	}
	n, _ := strconv.ParseInt(match[1], 10, 64)

	return n
}
