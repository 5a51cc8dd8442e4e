package influx

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

const longestReply = 1 << 20

type writer struct {
	config  Config
	client  *http.Client
	created bool // the database of InfluxDB 1 exists, or is not needed
}

func newWriter(config Config) *writer {
	transport := &http.Transport{
		Proxy:           http.ProxyFromEnvironment,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: config.InsecureSkipTLSVerify}, //nolint:gosec // the user's wish
	}

	return &writer{
		config:  config,
		created: config.Version != 1,
		client: &http.Client{
			Transport: transport,
			Timeout:   config.Timeout,
			// A redirected POST may become a GET, and another server must not get the credentials.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

func (w *writer) write(ctx context.Context, lines [][]byte) result {
	if v := w.create(ctx); v.again {
		return v
	}
	body, err := compress(lines)
	if err != nil {
		return w.failed(err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.config.endpoint(), body)
	if err != nil {
		return w.failed(err)
	}
	request.Header.Set("Content-Type", "text/plain; charset=utf-8")
	request.Header.Set("Content-Encoding", "gzip")

	return w.ask(request, len(lines))
}

func (w *writer) ask(request *http.Request, n int) result {
	status, header, reply, err := w.do(request)
	if err != nil {
		return w.failed(err)
	}
	v := judge(status, header, reply, n, time.Now())
	v.why = w.config.redact(v.why)

	return v
}

// failed returns the result of a request without a reply. The points may have been written; writing
// them again is harmless.
func (w *writer) failed(err error) result {
	if wrapped := new(url.Error); errors.As(err, &wrapped) {
		if wrapped.Timeout() {
			err = fmt.Errorf("no reply within %s", w.config.Timeout)
		} else {
			err = wrapped.Err
		}
	}

	return result{again: true, why: w.config.redact(err.Error())}
}

func compress(lines [][]byte) (io.Reader, error) {
	var body bytes.Buffer
	zip := gzip.NewWriter(&body)
	for _, line := range lines {
		if _, err := zip.Write(line); err != nil {
			return nil, err
		}
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}

	return &body, nil
}

// create creates the database of InfluxDB 1. Missing permission is not an error, because the
// database may exist.
func (w *writer) create(ctx context.Context) result {
	if w.created {
		return result{}
	}
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(w.config.Database)
	form := url.Values{"q": {`CREATE DATABASE "` + quoted + `"`}}.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.config.Address+"/query", strings.NewReader(form))
	if err != nil {
		return w.failed(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	v := w.ask(request, 0)
	w.created = !v.again

	return v
}

func (w *writer) do(request *http.Request) (status int, header http.Header, body []byte, err error) {
	switch {
	case w.config.Version == 1 && w.config.Username != "":
		request.SetBasicAuth(w.config.Username, w.config.Password)
	case w.config.Version == 2:
		request.Header.Set("Authorization", "Token "+w.config.Token)
	case w.config.Token != "":
		request.Header.Set("Authorization", "Bearer "+w.config.Token)
	}
	response, err := w.client.Do(request)
	if err != nil {
		return 0, nil, nil, err
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	body, err = io.ReadAll(io.LimitReader(response.Body, longestReply))
	if response.StatusCode < 300 {
		err = nil
	}

	return response.StatusCode, response.Header, body, err
}

func (w *writer) close() { w.client.CloseIdleConnections() }

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
