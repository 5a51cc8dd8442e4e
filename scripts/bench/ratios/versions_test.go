package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// server answers each connection with these lines, at once where it is asked nothing.
func server(t *testing.T, answer string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte(answer))
			_ = conn.(*net.TCPConn).CloseWrite()
			_, _ = io.Copy(io.Discard, conn) // a question that nobody reads would reset the connection
			_ = conn.Close()
		}
	}()

	return listener.Addr().String()
}

func TestVersionsOfServers(t *testing.T) {
	influx := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Influxdb-Version", "1.6.7") }))
	t.Cleanup(influx.Close)
	t.Setenv("MEMCACHED_URL", server(t, "VERSION 1.6.18\r\n"))
	t.Setenv("REDIS_URL", "redis://"+server(t, "$9\r\n# Server\r\nredis_version:7.0.15\r\n"))
	t.Setenv("NATS_URL", "nats://"+server(t, `INFO {"server_id":"x","version":"2.15.2"}`+"\r\n")+",nats://other:1")
	t.Setenv("INFLUXDB_URL", strings.Replace(influx.URL, "://", "://user:secret@", 1)+"/database")
	for name, want := range map[string]string{
		"memcached": "memcached 1.6.18", "redis": "redis 7.0.15", "nats": "nats-server 2.15.2", "influxdb": "InfluxDB 1.6.7",
	} {
		if got, err := versionOf(name); err != nil || got != want {
			t.Errorf("%s: %q (%v), want %q", name, got, err, want)
		}
	}
	t.Setenv("MEMCACHED_URL", server(t, "ERROR\r\n"))
	if _, err := versionOf("memcached"); err == nil {
		t.Error("a server that does not tell its version has one")
	}
}

func TestVersionsThatArePinned(t *testing.T) {
	t.Chdir("../../..")
	for _, tool := range []string{"machbase", "ghz"} {
		if got, err := versionOf(tool); err != nil || !regexp.MustCompile(`^[a-z-]+ v\d+\.\d+\.\d+$`).MatchString(got) {
			t.Errorf("%s: %q, %v", tool, got, err)
		}
	}
}
