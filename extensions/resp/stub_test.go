package resp

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"
)

const databases = 16

const longest = 64 << 20

type entry struct {
	value   string
	expires time.Time
}

type stub struct {
	mu    sync.Mutex
	data  [databases]map[string]entry
	conns map[net.Conn]bool
}

func runStub() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	s := &stub{conns: map[net.Conn]bool{}}
	s.flush()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go s.serve(conn)
		}
	}()

	return listener.Addr().String(), nil
}

func (s *stub) flush() {
	for i := range s.data {
		s.data[i] = map[string]entry{}
	}
}

type session struct {
	*stub

	conn     net.Conn
	database int
}

func (s *stub) serve(conn net.Conn) {
	s.mu.Lock()
	s.conns[conn] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.conns, conn)
		s.mu.Unlock()
		_ = conn.Close()
	}()
	client := &session{stub: s, conn: conn}
	in, out := bufio.NewReader(conn), bufio.NewWriter(conn)
	for {
		words, err := readCommand(in)
		if err != nil {
			return
		}
		s.mu.Lock()
		answer := client.do(strings.ToLower(words[0]), words[1:])
		s.mu.Unlock()
		if _, err := out.WriteString(answer); err != nil {
			return
		}
		if in.Buffered() > 0 {
			continue
		}
		if err := out.Flush(); err != nil {
			return
		}
	}
}

func readCommand(in *bufio.Reader) ([]string, error) {
	n, err := readLength(in, '*')
	if err != nil || n < 1 || n > longest {
		return nil, fmt.Errorf("a command of %d words: %w", n, err)
	}
	words := make([]string, 0, min(n, 1000))
	for range n {
		size, err := readLength(in, '$')
		if err != nil || size > longest {
			return nil, fmt.Errorf("a string of %d bytes: %w", size, err)
		}
		word := make([]byte, size+len("\r\n"))
		if _, err := io.ReadFull(in, word); err != nil {
			return nil, err
		}
		words = append(words, string(word[:size]))
	}

	return words, nil
}

func readLength(in *bufio.Reader, kind byte) (int, error) {
	line, err := in.ReadString('\n')
	if err != nil {
		return 0, err
	}
	if line[0] != kind {
		return 0, fmt.Errorf("%q where %q belongs", line, kind)
	}
	n, err := strconv.ParseUint(strings.TrimSpace(line[1:]), 10, 32)

	return int(n), err
}

const (
	ok   = "+OK\r\n"
	null = "$-1\r\n"
)

func bulk(text string) string { return fmt.Sprintf("$%d\r\n%s\r\n", len(text), text) }
func integer(n int) string    { return fmt.Sprintf(":%d\r\n", n) }

func (c *session) do(name string, args []string) string {
	switch name {
	case "ping":
		return "+PONG\r\n"
	case "flushall":
		c.flush()

		return ok
	case "flushdb":
		clear(c.data[c.database])

		return ok
	case "dbsize":
		return integer(len(c.data[c.database]))
	case "info":
		return bulk(info(args))
	}
	if len(args) == 0 {
		return "-ERR wrong number of arguments for '" + name + "' command\r\n"
	}
	switch name {
	case "client":
		if strings.EqualFold(args[0], "kill") {
			return integer(c.killOthers())
		}
	case "select":
		return c.use(args[0])
	case "get", "mget", "ttl":
		return c.read(name, args)
	case "set", "del", "expire", "persist":
		return c.write(name, args)
	}

	return "-ERR unknown command '" + name + "'\r\n"
}

func (c *session) use(number string) string {
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n >= databases {
		return "-ERR DB index is out of range\r\n"
	}
	c.database = n

	return ok
}

func (c *session) read(name string, keys []string) string {
	e, there := c.get(keys[0])
	switch {
	case name == "mget":
		var all strings.Builder
		fmt.Fprintf(&all, "*%d\r\n", len(keys))
		for _, key := range keys {
			all.WriteString(value(c.get(key)))
		}

		return all.String()
	case name == "get":
		return value(e, there)
	case !there:
		return integer(-2)
	case e.expires.IsZero():
		return integer(-1)
	}

	return integer(int(time.Until(e.expires).Round(time.Second).Seconds()))
}

func (c *session) write(name string, args []string) string {
	data, key := c.data[c.database], args[0]
	e, there := c.get(key)
	switch {
	case name == "set" && len(args) == 2:
		data[key] = entry{value: args[1]}

		return ok
	case name == "set" && len(args) == 4 && strings.EqualFold(args[2], "ex"):
		data[key] = entry{args[1], in(args[3])}

		return ok
	case name == "set":
		return "-ERR syntax error\r\n"
	case name == "del":
		n := 0
		for _, key := range args {
			if _, there := c.get(key); there {
				n++
			}
			delete(data, key)
		}

		return integer(n)
	case !there, name == "persist" && e.expires.IsZero():
		return integer(0)
	case name == "persist":
		data[key] = entry{value: e.value}
	case len(args) == 2:
		data[key] = entry{e.value, in(args[1])}
	}

	return integer(1)
}

func (c *session) get(key string) (entry, bool) {
	e, there := c.data[c.database][key]
	if there && !e.expires.IsZero() && !time.Now().Before(e.expires) {
		delete(c.data[c.database], key)

		return entry{}, false
	}

	return e, there
}

func value(e entry, there bool) string {
	if !there {
		return null
	}

	return bulk(e.value)
}

func in(seconds string) time.Time {
	n, _ := strconv.Atoi(seconds)

	return time.Now().Add(time.Duration(n) * time.Second)
}

func (c *session) killOthers() int {
	n := 0
	for conn := range c.conns {
		if conn != c.conn {
			_ = conn.Close()
			n++
		}
	}

	return n
}

func info(sections []string) string {
	text := ""
	for _, section := range []struct{ name, lines string }{
		{"server", "redis_version:0.0.0\r\nredis_mode:stub\r\n"},
		{"memory", "used_memory:1048576\r\nmaxmemory:0\r\nmaxmemory_policy:noeviction\r\n"},
	} {
		if len(sections) == 0 || strings.EqualFold(sections[0], section.name) {
			text += "# " + section.name + "\r\n" + section.lines + "\r\n"
		}
	}

	return text
}
