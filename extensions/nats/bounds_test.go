package nats

import (
	"bufio"
	"crypto/sha1"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func liar(t *testing.T, says string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan struct{})
	go func() {
		defer close(served)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			lie(t, conn, says)
		}
	}()
	t.Cleanup(func() {
		assert.NoError(t, listener.Close())
		<-served
	})

	return "nats://" + listener.Addr().String()
}

func lie(t *testing.T, conn net.Conn, says string) {
	t.Helper()
	defer conn.Close()
	if _, err := fmt.Fprint(conn, `INFO {"server_id":"liar","version":"2.12.0","headers":true,"max_payload":1048576}`+"\r\n"); err != nil {
		return
	}
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		answer := ""
		switch word, _, _ := strings.Cut(lines.Text(), " "); word {
		case "PING":
			answer = "PONG\r\n"
		case "SUB":
			answer = says
		}
		if _, err := fmt.Fprint(conn, answer); err != nil {
			return
		}
	}
}

func TestExcessiveSizes(t *testing.T) {
	for _, size := range []string{"4611686018427387904", "9223372036854775807", "99999999"} {
		v := newVU(t)
		require.NoError(t, v.JS.Set("liar", liar(t, "HMSG a 1 12 "+size+"\r\nx")))
		v.Run(`var client = new nats.Client(liar, { timeout: '10s', maxReconnects: 0 })`)
		e := v.fail(`client.request('a', 'x')`)
		require.Equal(t, k6x.KindProtocol, e.Kind, e.Message)
		require.Contains(t, e.Message, "the connection is closed: the server announces a message of "+size+" bytes")
		totals := v.inSweep(1, `client.requestBatch('a', 'x')`)
		require.Equal(t, map[string]uint64{"the server announces a message of " + size + " bytes: at most 8388608 are accepted": 1}, totals[opRequest].Errors)
		v.CancelContext()
	}
}

const infoOfLiar = `INFO {"server_id":"liar","version":"2.12.0","headers":true,"max_payload":1048576,"tls_required":%t}` + "\r\n"

func frame(head byte, said string) string {
	if len(said) < 126 {
		return string([]byte{head, byte(len(said))}) + said
	}

	return string([]byte{head, 126, byte(len(said) >> 8), byte(len(said))}) + said
}

func lieInFrames(conn net.Conn, says string) {
	reader := bufio.NewReader(conn)
	request, err := http.ReadRequest(reader)
	if err != nil {
		return
	}
	digest := sha1.Sum([]byte(request.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n%s",
		base64.StdEncoding.EncodeToString(digest[:]), frame(0x82, fmt.Sprintf(infoOfLiar, false)))
	if _, err := reader.ReadByte(); err != nil { // CONNECT, and the ping
		return
	}
	_, _ = io.WriteString(conn, frame(0x82, "PONG\r\n")+says)
	_, _ = io.Copy(io.Discard, reader)
}

func TestExcessiveSizesInTLSAndWebSockets(t *testing.T) {
	certificate, key := selfSigned(t)
	pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
	require.NoError(t, err)
	secured := func(conn net.Conn) net.Conn {
		return tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12})
	}
	const huge = "MSG a 1 4611686018427387904\r\nx"
	says := func(conn net.Conn) {
		lines := bufio.NewScanner(conn)
		for lines.Scan() {
			switch word, _, _ := strings.Cut(lines.Text(), " "); word {
			case "PING":
				_, _ = io.WriteString(conn, "PONG\r\n")
			case "SUB":
				_, _ = io.WriteString(conn, huge)
			}
		}
	}
	const tooMuch = "the server announces a message of 4611686018427387904 bytes"
	for name, c := range map[string]struct {
		scheme, options, want string
		serve                 func(net.Conn)
	}{
		"TLS after INFO": {"nats", "", tooMuch, func(conn net.Conn) {
			_, _ = fmt.Fprintf(conn, infoOfLiar, true)
			says(secured(conn))
		}},
		"TLS first": {"tls", ", first: true", tooMuch, func(conn net.Conn) {
			conn = secured(conn)
			_, _ = fmt.Fprintf(conn, infoOfLiar, true)
			says(conn)
		}},
		"TLS of the scheme": {"tls", "", tooMuch, func(conn net.Conn) {
			_, _ = fmt.Fprintf(conn, infoOfLiar, true)
			says(secured(conn))
		}},
		"WebSocket":      {"ws", "", tooMuch, func(conn net.Conn) { lieInFrames(conn, frame(0x82, huge)) }},
		"WebSocket, TLS": {"wss", "", tooMuch, func(conn net.Conn) { lieInFrames(secured(conn), frame(0x82, huge)) }},
		"WebSocket, in pieces": {"ws", "", tooMuch, func(conn net.Conn) {
			lieInFrames(conn, frame(0x02, huge[:9])+frame(0x89, "ping")+frame(0x80, huge[9:]))
		}},
		"WebSocket, compressed": {"ws", "", "the server sent an unexpected compressed WebSocket frame", func(conn net.Conn) {
			lieInFrames(conn, frame(0xc2, huge))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVU(t)
			require.NoError(t, v.JS.Set("ca", certificate))
			require.NoError(t, v.JS.Set("liar", strings.Replace(fake(t, c.serve), "nats", c.scheme, 1)))
			options, kind := "", k6x.KindProtocol
			if c.scheme != "ws" {
				options = `, tls: { ca` + c.options + ` }`
			}
			if strings.HasPrefix(c.scheme, "ws") { // at the first answer
				kind = k6x.KindConnect
			}
			e := v.fail(`new nats.Client(liar, { timeout: '10s', maxReconnects: 0` + options + ` }).request('a', 'x')`)
			require.Equal(t, kind, e.Kind, e.Message)
			require.Contains(t, e.Message, c.want)
			if kind == k6x.KindProtocol && c.scheme != "ws" {
				totals := v.inSweep(1, `new nats.Client(liar, { timeout: '10s'`+options+` }).requestBatch('a', 'x')`)
				require.Equal(t, map[string]uint64{c.want + ": at most 8388608 are accepted": 1}, totals[opRequest].Errors)
			}
			v.Exit()
			requireNoneLeft(t)
		})
	}
}

func TestServerWithoutWebSocket(t *testing.T) {
	for answer, want := range map[string]string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\xc2\x7f": "invalid websocket connection",
		"HTTP/1.1 101 Yes\r\nX: " + strings.Repeat("x", 2<<20): "answers the request for a WebSocket with a head of more than",
	} {
		v := newVU(t)
		require.NoError(t, v.JS.Set("liar", strings.Replace(fake(t, func(conn net.Conn) {
			_, _ = http.ReadRequest(bufio.NewReader(conn))
			_, _ = io.WriteString(conn, answer)
		}), "nats", "ws", 1)))
		e := v.fail(`new nats.Client(liar, { connectTimeout: '10s' }).connect()`)
		require.Equal(t, k6x.KindConnect, e.Kind, e.Message)
		require.Contains(t, e.Message, want)
	}
}

func TestWebSocket(t *testing.T) {
	certificate, key := selfSigned(t)
	folder := t.TempDir()
	for name, content := range map[string]string{"cert": certificate, "key": key} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	v := newVU(t)
	require.NoError(t, v.JS.Set("ca", certificate))
	for scheme, c := range map[string]struct{ server, options string }{
		"ws": {"no_tls: true", ""},
		"wss": {fmt.Sprintf("tls { cert_file: %q, key_file: %q }", filepath.Join(folder, "cert"), filepath.Join(folder, "key")),
			"{ tls: { ca } }"},
	} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		address := listener.Addr().String()
		require.NoError(t, listener.Close())
		startServer(t, fmt.Sprintf("websocket { listen: %q, %s }", address, c.server))
		urls := []string{scheme + "://" + address}
		if scheme == "ws" {
			proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: address})
			front := httptest.NewServer(http.StripPrefix("/its/path", proxy))
			defer front.Close()
			urls = append(urls, strings.Replace(front.URL, "http", "ws", 1)+"/its/path")
		}
		for _, own := range urls {
			require.NoError(t, v.JS.Set("own", own))
			require.Equal(t, int64(300_000), v.Run(`(() => {
				const client = new nats.Client(own, `+c.options+`), sub = client.subscribe('a');
				client.publish('a', 'x'.repeat(300000));
				return sub.next().data.length;
			})()`), own)
			require.Equal(t, int64(3), v.Run(`(() => {
				const client = new nats.Client(own, `+c.options+`), service = client.respond('b');
				client.connect({ runs: true });
				return client.requestBatch('b', 'x', { iterations: 3 }).succeeded;
			})()`), own)
		}
	}
	v.Exit()
	requireNoneLeft(t)
}
