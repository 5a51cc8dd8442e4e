package influx

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// published describes InfluxDB 2 and 3, which no package registry offers, as documented:
// https://docs.influxdata.com/influxdb/v2/api/write-data/ and
// https://docs.influxdata.com/influxdb3/core/api/write-data/.
type published struct {
	path, authorization string
	query               url.Values
	missing             int // status for a missing bucket or database

	mu    sync.Mutex
	lines []string
}

func (p *published) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	lines, err := read(r)
	says := func(status int, why string) {
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"code":"x","message":%q}`, why)
	}
	asked := r.URL.Query()
	switch {
	case err != nil:
		says(http.StatusBadRequest, err.Error())
	case r.URL.Path != p.path || asked.Get("precision") != p.query.Get("precision"):
		says(http.StatusNotFound, r.URL.String())
	case r.Header.Get("Authorization") != p.authorization:
		says(http.StatusUnauthorized, "unauthorized access")
	case asked.Encode() != p.query.Encode():
		says(p.missing, "not found")
	default:
		p.mu.Lock()
		p.lines = append(p.lines, lines...)
		p.mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
	}
}

func TestPublishedVersions(t *testing.T) {
	for name, tt := range map[string]struct {
		server   *published
		argument string // argument of -o, without the address
		wrong    map[string]string
	}{
		"2": {
			server: &published{
				path: "/api/v2/write", authorization: "Token " + sesame, missing: http.StatusNotFound,
				query: url.Values{"org": {"the org"}, "bucket": {"the bucket"}, "precision": {"ns"}},
			},
			argument: "?organization=the%20org&bucket=the%20bucket&token=" + sesame,
			wrong: map[string]string{
				"?organization=the%20org&bucket=the%20bucket&token=x":       "401 unauthorized access",
				"?organization=the%20org&bucket=another&token=" + sesame:    "404 not found",
				"?organization=another&bucket=the%20bucket&token=" + sesame: "404 not found",
			},
		},
		"3": {
			server: &published{
				path: "/api/v3/write_lp", authorization: "Bearer " + sesame, missing: http.StatusNotFound,
				query: url.Values{"db": {"the db"}, "precision": {"nanosecond"}},
			},
			argument: "/the%20db?token=" + sesame,
			wrong: map[string]string{
				"/the%20db?token=x":        "401 unauthorized access",
				"/another?token=" + sesame: "404 not found",
			},
		},
		"3 without a token": {
			server: &published{
				path: "/api/v3/write_lp", missing: http.StatusNotFound, query: url.Values{"db": {"db"}, "precision": {"nanosecond"}},
			},
			argument: "/db?version=3",
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(tt.server)
			defer server.Close()
			o := start(t, server.URL+tt.argument, nil)
			o.send(250)
			summary, _ := o.end()
			require.Contains(t, summary, "250 points written, none dropped")
			require.Equal(t, upTo(1, 250), numbers(t, tt.server.lines...))

			for argument, why := range tt.wrong {
				o := start(t, server.URL+argument, nil)
				o.send(3)
				summary, _ := o.end()
				require.Contains(t, summary, "0 points written, 3 DROPPED: 3 ("+why+")")
			}
		})
	}
}

func TestRedirection(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was followed") }))
	defer elsewhere.Close()
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	o := start(t, server.URL+"/db?version=3&token="+sesame, nil)
	o.send(1)
	summary, _ := o.end()
	require.Contains(t, summary, "1 DROPPED: 1 (307 temporary redirect)")
}

func TestMisbehavingPeers(t *testing.T) {
	for name, tt := range map[string]struct {
		peer    func(net.Conn)
		written bool
		why     string
	}{
		"closes at once":       {peer: func(net.Conn) {}},
		"answers with garbage": {peer: func(c net.Conn) { fmt.Fprint(c, strings.Repeat("\x00\xff garbage ", 100)) }, why: "malformed HTTP"},
		"says nothing":         {peer: func(c net.Conn) { _, _ = c.Read(make([]byte, 1<<20)); time.Sleep(3 * time.Second) }, why: "no reply within 300ms"},
		"stops in the middle": {
			peer: func(c net.Conn) { fmt.Fprint(c, "HTTP/1.1 400 Bad Request\r\nContent-Length: 1000\r\n\r\n{\"error\":") },
			why:  "unexpected EOF",
		},
		"announces more than there is memory": {
			peer: func(c net.Conn) {
				fmt.Fprint(c, "HTTP/1.1 400 Bad Request\r\nContent-Length: 999999999999\r\n\r\n")
				for range 3 << 10 {
					if _, err := c.Write(make([]byte, 1<<10)); err != nil {
						return
					}
				}
			},
			why: "400 bad request",
		},
		"has written, and stops": {
			peer:    func(c net.Conn) { fmt.Fprint(c, "HTTP/1.1 204 No Content\r\n\r\n") },
			written: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			var peers sync.WaitGroup
			peers.Go(func() {
				for {
					conn, err := listener.Accept()
					if err != nil {
						return
					}
					peers.Go(func() {
						defer conn.Close()
						_, _ = conn.Read(make([]byte, 1<<20))
						tt.peer(conn)
					})
				}
			})
			defer peers.Wait()
			defer listener.Close()

			o := start(t, "http://"+listener.Addr().String()+"/db?version=3&timeout=300ms&flushTimeout=1s&pushInterval=10ms", nil)
			o.send(5)
			begun := time.Now()
			summary, _ := o.end()
			require.Less(t, time.Since(begun), 5*time.Second)
			if tt.written {
				require.Contains(t, summary, "5 points written, none dropped")
			} else {
				require.Contains(t, summary, "0 points written, 5 DROPPED: 5 (")
				require.Contains(t, summary, tt.why)
			}
		})
	}
}
