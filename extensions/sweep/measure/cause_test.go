package measure

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// word returns a distinct text without digits.
func word(n int) string {
	if n < 26 {
		return string(rune('a' + n))
	}

	return word(n/26-1) + string(rune('a'+n%26))
}

func TestCause(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "",
		"connection refused": "connection refused",
		"read tcp 127.0.0.1:45012->127.0.0.1:6379: reset": "read tcp N:N->N:N: reset",
		"no answer within 1m30.5s":                        "no answer within N",
		"no answer within 998ms (12µs late)":              "no answer within N (N late)",
		"5s":                                              "N",
		"5 servers, 3mice":                                "N servers, Nmice",
		"key k17 of 20.":                                  "key kN of N.",
		"GET gave status 404":                             "GET gave status 404",
		"Status: 500, attempt 3":                          "Status: 500, attempt N",
		"code=14 at 10.0.0.1":                             "code=14 at N",
		"statuses 12":                                     "statuses N",
		"Größe 7 µ":                                       "Größe N µ",
		"http: GET http://h/1 answered 404 No":            "http: GET http://h/N answered N No",
	} {
		require.Equal(t, want, Cause(text), text)
	}
}

// Errors that differ only in numbers are counted together, under the first text.
func TestErrorsDifferingInNumbersAreMerged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const clients, operations = 3, 40
		var told []error
		s := NewStep(clients, Plan{Operations: operations}, func(err error) { told = append(told, err) })
		requireNoErrors(t, together(s, func(i int, c *Client) error {
			n := 0

			return c.Run(t.Context(), "op", nil, func() error {
				n++
				time.Sleep(time.Duration(n*clients+i) * ms) // staggers the clients

				return fmt.Errorf("read from port %d: timeout after %s", 1000*(i+1)+n, time.Duration(n)*ms)
			})
		}))
		r := s.Read()
		require.Equal(t, map[string]uint64{"read from port 1001: timeout after 1ms": clients * operations}, r.Op("op").Errors)
		require.Len(t, told, 1)
	})
}

func TestReadingMergesErrorsDifferingInNumbers(t *testing.T) {
	var first, next Totals
	for i := range 30 {
		first.AddError(fmt.Sprint("port ", i))
		next.AddError(fmt.Sprint("port ", 100+i))
		next.AddError(fmt.Sprint("status ", i%2))
	}
	first.join(&next)
	require.Equal(t, map[string]uint64{"port 0": 60, "status 0": 15, "status 1": 15}, first.Errors)
}

func TestAddErrors(t *testing.T) {
	var counts map[string]uint64
	AddErrors(&counts, nil)
	require.Nil(t, counts)
	AddErrors(&counts, map[string]uint64{"port 1": 5, "port 2": 1, "full": 2})
	AddErrors(&counts, map[string]uint64{"port 3": 7, "empty": 1, otherErrors: 4})
	AddErrors(&counts, map[string]uint64{otherErrors: 1})
	require.Equal(t, map[string]uint64{"port 1": 13, "full": 2, "empty": 1, otherErrors: 5}, counts)
}

func BenchmarkCause(b *testing.B) {
	err := errors.New("read tcp 127.0.0.1:45012->127.0.0.1:6379: read: connection reset by peer")
	b.ReportAllocs()
	for b.Loop() {
		Cause(err.Error())
	}
}
