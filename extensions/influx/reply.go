package influx

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// result says what a server's reply means for the points in a request. Without again or split,
// written plus refused is their number.
type result struct {
	written, refused int
	again            bool
	after            time.Duration // earliest time of the retry; 0 for none
	split            bool
	why              string
}

type serverReply struct {
	Error   string            `json:"error"`
	Message string            `json:"message"`
	Data    []json.RawMessage `json:"data"`
}

// judge interprets the reply to a request with n points, following the documentation of the three
// versions: https://docs.influxdata.com/influxdb/v1/tools/api/#write-http-endpoint
// https://docs.influxdata.com/influxdb/v2/write-data/troubleshoot/
// https://docs.influxdata.com/influxdb3/core/write-data/http-api/v3-write-lp
func judge(status int, header http.Header, body []byte, n int, now time.Time) result {
	var says serverReply
	readable := json.Unmarshal(body, &says) == nil
	v := result{why: reason(status, says)}
	switch {
	case status >= 200 && status < 300:
		return result{written: n}
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		v.again, v.after = true, retryAfter(header.Get("Retry-After"), now)
	case status >= 500 || status == http.StatusRequestTimeout:
		v.again = true
	case status == http.StatusRequestEntityTooLarge && n > 1:
		v.split = true
	case status == http.StatusBadRequest || status == http.StatusUnprocessableEntity:
		v.refused = n
		if readable {
			v.refused = refused(says, n)
		}
		v.written = n - v.refused
	default:
		v.refused = n
	}

	return v
}

const longestRetryAfter = 10 * time.Minute

func reason(status int, says serverReply) string {
	text := strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}

		return r
	}, strings.ToValidUTF8(says.Error+says.Message, "?")))
	if text == "" {
		text = strings.ToLower(http.StatusText(status))
	}

	return strings.TrimSpace(fmt.Sprintf("%d %s", status, text))
}

func retryAfter(value string, now time.Time) time.Duration {
	after := time.Duration(0)
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		after = time.Duration(seconds) * time.Second
	} else if date, err := http.ParseTime(value); err == nil {
		after = date.Sub(now)
	}

	return min(max(after, 0), longestRetryAfter)
}

var droppedPoints = regexp.MustCompile(`partial write:[\s\S]*dropped=(\d+)`)

// refused returns how many of n points a 400 or 422 refuses. For a partial write, 1 and 2 report
// the number of points that were not stored plus a line for each unreadable one; 3 reports a list.
// Otherwise all are refused.
func refused(says serverReply, n int) int {
	text := says.Error + says.Message
	some := 0
	if strings.HasPrefix(says.Error, "partial write of line protocol") {
		some = len(says.Data)
	} else if match := droppedPoints.FindStringSubmatch(text); match != nil {
		dropped, err := strconv.ParseUint(match[1], 10, 31)
		if err != nil {
			return n
		}
		some = int(dropped) + strings.Count(text, "unable to parse '")
	}
	if some == 0 {
		return n
	}

	return min(some, n)
}
