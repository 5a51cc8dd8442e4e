package main

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// mcCrusher is the benchmark of memcached's own authors, in C: it looks at nothing that it reads.
// It is measured where it is installed.
const mcCrusher = "mc-crusher"

// crusherSeconds is how long a run of it takes, in whole seconds.
const crusherSeconds = 1

// crusherKeys begin with this.
const crusherKeys = "crusher:"

// crusherGets is a run of it, of gets of as many keys, as large, and all there. It prints no
// figure: what it has done is what the server has counted meanwhile.
func crusherGets(clients, pipeline int) func() (figures, error) {
	return func() (figures, error) {
		host, port, err := addressOf("memcached")
		if err != nil {
			return figures{}, err
		}
		server, err := net.Dial("tcp", net.JoinHostPort(host, port))
		if err != nil {
			return figures{}, err
		}
		defer server.Close() //nolint:errcheck // over
		if err := fillForCrusher(server); err != nil {
			return figures{}, err
		}
		plan, err := crusherPlan(clients, pipeline)
		if err != nil {
			return figures{}, err
		}
		defer os.Remove(plan) //nolint:errcheck // a temporary file

		before, err := memcachedGets(server)
		if err != nil {
			return figures{}, err
		}
		_, used, err := output(command(mcCrusher, "--conf", plan, "--ip", host, "--port", port, "--timeout", strconv.Itoa(crusherSeconds)))
		if err != nil {
			return figures{}, err
		}
		after, err := memcachedGets(server)
		if err != nil {
			return figures{}, err
		}
		gets := after.all - before.all

		return figures{
			OpsPerSecond: float64(gets) / crusherSeconds, CPUMicros: micros(used.cpu, gets), MemoryMB: used.memoryMB,
			Failed: after.misses - before.misses,
		}, nil
	}
}

// crusherPlan writes its plan, a line of connections for each of its threads.
func crusherPlan(clients, pipeline int) (file string, err error) {
	f, err := os.CreateTemp("", "mc-crusher")
	if err != nil {
		return "", err
	}
	threads := min(clients, 2)
	_, err = fmt.Fprintf(f, "send=ascii_get,recv=blind_read,conns=%d,thread=%d,key_prefix=%s,key_count=%s,key_randomize=1,pipelines=%d\n",
		clients/threads, threads, crusherKeys, cacheKeys, pipeline)

	return f.Name(), errors.Join(err, f.Close())
}

// fillForCrusher writes its keys, whose numbers have no zeros before them.
func fillForCrusher(server net.Conn) error {
	count, err := strconv.Atoi(cacheKeys)
	if err != nil {
		return err
	}
	if err := server.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return err
	}
	w := bufio.NewWriter(server)
	for key := range count {
		_, _ = fmt.Fprintf(w, "set %s%d 0 0 100 noreply\r\n%s\r\n", crusherKeys, key, strings.Repeat("x", 100))
	}

	return w.Flush()
}

// counted are the gets that a memcached has counted since it was started.
type counted struct{ all, misses int }

var memcachedCounts = regexp.MustCompile(`STAT (cmd_get|get_misses) (\d+)`)

// memcachedGets asks a memcached.
func memcachedGets(server net.Conn) (c counted, err error) {
	if _, err := server.Write([]byte("stats\r\n")); err != nil {
		return c, err
	}
	found := 0
	for lines := bufio.NewScanner(server); lines.Scan() && lines.Text() != "END"; {
		count := memcachedCounts.FindStringSubmatch(lines.Text())
		if count == nil {
			continue
		}
		n, err := strconv.Atoi(count[2])
		if err != nil {
			return c, err
		}
		if count[1] == "cmd_get" {
			c.all = n
		} else {
			c.misses = n
		}
		found++
	}
	if found != 2 {
		return c, errors.New("memcached does not tell how many gets it has answered")
	}

	return c, nil
}
