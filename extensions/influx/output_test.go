package influx

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Tests with a fake server run in synctest bubbles, so that waits take no time and leaked
// goroutines fail the test.

const (
	one = "http://host:8086/db"
	two = "http://host:8086/b?organization=us&token=" + sesame
)

func TestPointsAreWrittenInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newFake(nil)
		o := start(t, one+"?batchSize=3", server)
		for range 5 {
			o.send(2)
			time.Sleep(time.Second)
		}
		o.send(4)
		summary, level := o.end()
		require.Equal(t, "InfluxDB 1 at http://host:8086, database db: 14 points written, none dropped", summary)
		require.Equal(t, logrus.InfoLevel, level)
		var lines []string
		for _, r := range server.got() {
			require.LessOrEqual(t, len(r.lines), 3)
			lines = append(lines, r.lines...)
		}
		require.Equal(t, upTo(1, 14), numbers(t, lines...))
		require.Empty(t, o.said())
	})
}

func TestNothingToWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := start(t, one, newFake(nil))
		summary, level := o.end()
		require.Equal(t, "InfluxDB 1 at http://host:8086, database db: nothing to write: no scenario was a sweep", summary)
		require.Equal(t, logrus.WarnLevel, level)
	})
}

func TestServerRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		defer measure.OnEvent(func(e measure.Event) { told = append(told, e.Kind+": "+e.Text) })()
		var up atomic.Bool
		server := newFake(func(request) (*http.Response, error) {
			if !up.Load() {
				return nil, errors.New("connection refused")
			}

			return reply(http.StatusNoContent, "")
		})
		o := start(t, one, server)
		for range 300 {
			o.send(1)
			time.Sleep(time.Second)
		}
		synctest.Wait()
		up.Store(true)
		tries := server.got()
		require.Less(t, len(tries), 30)
		require.Greater(t, len(tries), 10)
		for i := 1; i < len(tries); i++ {
			wait, most := tries[i].at-tries[i-1].at, min(500*time.Millisecond<<(i-1), 30*time.Second)
			require.LessOrEqual(t, wait, most)
			require.GreaterOrEqual(t, wait, most/2)
		}
		time.Sleep(31 * time.Second)
		summary, level := o.end()
		require.Equal(t, "InfluxDB 1 at http://host:8086, database db: 300 points written, none dropped", summary)
		require.Equal(t, logrus.InfoLevel, level)
		require.Equal(t, []string{"influxdb: InfluxDB accepts no points", "influxdb: InfluxDB accepts points again"}, told)
		require.Equal(t, []string{
			"InfluxDB 1 at http://host:8086, database db accepts no points: connection refused; retrying, up to 20000 points wait",
			"InfluxDB 1 at http://host:8086, database db accepts points again",
		}, o.said())
	})
}

func TestJitter(t *testing.T) {
	seen := map[time.Duration]bool{}
	for range 50 {
		wait := backOff(3)
		require.GreaterOrEqual(t, wait, 2*time.Second)
		require.LessOrEqual(t, wait, 4*time.Second)
		seen[wait] = true
	}
	require.Greater(t, len(seen), 40)
	require.LessOrEqual(t, backOff(1_000_000), 30*time.Second)
}

func TestRetryAfter(t *testing.T) {
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		synctest.Test(t, func(t *testing.T) {
			n := 0
			server := newFake(func(request) (*http.Response, error) {
				if n++; n%2 == 1 {
					return reply(status, "", "Retry-After", "7")
				}

				return reply(http.StatusNoContent, "")
			})
			o := start(t, one, server)
			o.send(1)
			time.Sleep(time.Minute)
			o.send(1)
			summary, _ := o.end()
			require.Contains(t, summary, "2 points written, none dropped")
			tries := server.got()
			require.Len(t, tries, 4)
			require.Equal(t, 7*time.Second, tries[1].at-tries[0].at)
			require.Equal(t, 7*time.Second, tries[3].at-tries[2].at)
		})
	}
}

func TestTooLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newFake(func(r request) (*http.Response, error) {
			if len(r.lines) > 2 || strings.Contains(strings.Join(r.lines, ""), " ops=5i") {
				return reply(http.StatusRequestEntityTooLarge, `{"error":"Request Entity Too Large"}`)
			}

			return reply(http.StatusNoContent, "")
		})
		o := start(t, one, server)
		o.send(11)
		summary, level := o.end()
		require.Contains(t, summary, "10 points written, 1 DROPPED: 1 (413 Request Entity Too Large)")
		require.Equal(t, logrus.ErrorLevel, level)
		var written []int
		for _, r := range server.got() {
			if len(r.lines) <= 2 && !strings.Contains(strings.Join(r.lines, ""), " ops=5i") {
				written = append(written, numbers(t, r.lines...)...)
			}
		}
		require.Equal(t, append(upTo(1, 4), upTo(6, 11)...), written)
	})
}

func TestTooLargeAndThenDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		server := newFake(func(r request) (*http.Response, error) {
			n++
			switch {
			case len(r.lines) > 2:
				return reply(http.StatusRequestEntityTooLarge, "")
			case n%2 == 0:
				return reply(http.StatusInternalServerError, "")
			}

			return reply(http.StatusNoContent, "")
		})
		o := start(t, one, server)
		o.send(8)
		time.Sleep(time.Minute)
		summary, _ := o.end()
		require.Contains(t, summary, "8 points written, none dropped")
	})
}

func TestRefused(t *testing.T) {
	for status, why := range map[int]string{401: "401 unauthorized access to ***", 403: "403 forbidden"} {
		synctest.Test(t, func(t *testing.T) {
			server := newFake(func(request) (*http.Response, error) {
				body := ""
				if status == http.StatusUnauthorized {
					body = `{"code":"unauthorized","message":"unauthorized access to ` + sesame + `"}`
				}

				return reply(status, body)
			})
			o := start(t, two, server)
			time.Sleep(time.Millisecond) // between the ticks
			for range 5 {
				o.send(2)
				time.Sleep(time.Second)
			}
			summary, level := o.end()
			require.Equal(t, "InfluxDB 2 at http://host:8086, bucket b of us: 0 points written, 10 DROPPED: 10 ("+why+")", summary)
			require.Equal(t, logrus.ErrorLevel, level)
			require.Len(t, server.got(), 5)
			require.Equal(t, []string{"InfluxDB 2 at http://host:8086, bucket b of us: points are dropped: " + why}, o.said())
		})
	}
}

func TestDownAndThenRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		back := time.Now().Add(time.Minute)
		server := newFake(func(request) (*http.Response, error) {
			if time.Now().Before(back) {
				return nil, errors.New("connection refused")
			}

			return reply(http.StatusForbidden, "")
		})
		o := start(t, one, server)
		o.send(1)
		time.Sleep(2 * time.Minute)
		summary, _ := o.end()
		require.Contains(t, summary, "0 points written, 1 DROPPED: 1 (403 forbidden)")
		require.Len(t, o.said(), 2)
		require.Contains(t, o.said()[1], "points are dropped: 403 forbidden")
	})
}

func TestDatabaseCreation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var asked []time.Duration
		server := roundTripper(func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == "/write" {
				require.Len(t, asked, 2)

				return reply(http.StatusNoContent, "")
			}
			if asked = append(asked, time.Since(begun)); len(asked) == 1 {
				return reply(http.StatusTooManyRequests, "", "Retry-After", "7")
			}

			return reply(http.StatusOK, "{}")
		})
		o := start(t, one, server)
		o.send(1)
		time.Sleep(time.Minute)
		summary, _ := o.end()
		require.Contains(t, summary, "1 points written, none dropped")
		require.Equal(t, []time.Duration{time.Second, 8 * time.Second}, asked)
	})
}

func TestPathOfAProxy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		o := start(t, "http://host:8086/in%3Fflux%2F%41%25%20/d%3Fb%2F1", roundTripper(func(r *http.Request) (*http.Response, error) {
			asked = append(asked, r.URL.RequestURI())
			if r.URL.Path == "/in?flux/A% /query" {
				body, err := io.ReadAll(r.Body)
				require.NoError(t, err)
				require.Equal(t, "q=CREATE+DATABASE+%22d%3Fb%2F1%22", string(body))

				return reply(http.StatusOK, "{}")
			}

			return reply(http.StatusNoContent, "")
		}))
		o.send(1)
		summary, _ := o.end()
		require.Equal(t, "InfluxDB 1 at http://host:8086/in%3Fflux%2F%41%25%20, database d?b/1: 1 points written, none dropped", summary)
		require.Equal(t, []string{"/in%3Fflux%2F%41%25%20/query", "/in%3Fflux%2F%41%25%20/write?db=d%3Fb%2F1&precision=ns"}, asked)
	})
}

func TestPartialWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newFake(func(request) (*http.Response, error) {
			return reply(http.StatusBadRequest, `{"error":"partial write: field type conflict dropped=2"}`)
		})
		o := start(t, one, server)
		o.send(5)
		summary, _ := o.end()
		require.Contains(t, summary, "3 points written, 2 DROPPED: 2 (400 partial write: field type conflict dropped=2)")
		require.Len(t, server.got(), 1)
	})
}

func TestFullBuffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var up atomic.Bool
		server := newFake(func(request) (*http.Response, error) {
			if !up.Load() {
				return reply(http.StatusServiceUnavailable, "")
			}

			return reply(http.StatusNoContent, "")
		})
		o := start(t, one+"?bufferSize=50&batchSize=10", server)
		for range 200 {
			o.send(1)
			time.Sleep(100 * time.Millisecond)
		}
		up.Store(true)
		time.Sleep(time.Minute)
		summary, _ := o.end()
		written, dropped := 60, 140
		require.Contains(t, summary, fmt.Sprintf("%d points written, %d DROPPED: %[2]d (the buffer of 50 points was full)",
			written, dropped))
		got := server.got()
		last := got[len(got)-1].lines
		require.Equal(t, upTo(191, 200), numbers(t, last...))
	})
}

func TestHangingServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newFake(func(r request) (*http.Response, error) {
			<-r.Context().Done()

			return nil, r.Context().Err()
		})
		o := start(t, one+"?timeout=2s&flushTimeout=3s", server)
		begun := time.Now()
		o.send(100)
		require.Zero(t, time.Since(begun), "the test goes on at once")
		time.Sleep(10 * time.Second)
		o.send(100)
		begun = time.Now()
		summary, _ := o.end()
		require.Equal(t, 3*time.Second, time.Since(begun))
		require.Contains(t, summary, "0 points written, 200 DROPPED: 200 (not written within 3s of the end of the test: no reply within 2s)")
	})
}

func TestHangingServerAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newFake(func(r request) (*http.Response, error) {
			<-r.Context().Done()

			return nil, r.Context().Err()
		})
		o := start(t, one+"?flushTimeout=1s&batchSize=1", server)
		o.send(3)
		summary, _ := o.end()
		require.Contains(t, summary, "0 points written, 3 DROPPED: 3 (not written within 1s of the end of the test: no reply)")
	})
}

func TestServerRestartAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		back := time.Now().Add(5*time.Minute + 8*time.Second)
		server := newFake(func(request) (*http.Response, error) {
			if time.Now().Before(back) {
				return nil, errors.New("connection refused")
			}

			return reply(http.StatusNoContent, "")
		})
		o := start(t, one, server)
		o.send(10)
		time.Sleep(5 * time.Minute)
		summary, _ := o.end()
		require.Contains(t, summary, "10 points written, none dropped")
	})
}

func TestManyReasons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		server := newFake(func(request) (*http.Response, error) {
			n++

			return reply(http.StatusNotFound, fmt.Sprintf(`{"error":"reason %d"}`, n))
		})
		o := start(t, one, server)
		time.Sleep(time.Millisecond)
		for range 100 {
			o.send(1)
			time.Sleep(time.Second)
		}
		summary, _ := o.end()
		require.Contains(t, summary, "0 points written, 100 DROPPED: 80 (other reasons), 1 (404 reason 1), ")
		require.Less(t, len(o.said()), 25)
	})
}
