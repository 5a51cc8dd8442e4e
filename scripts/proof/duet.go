package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// duet is a cache with the memcached commands of cache-sweep, and with a known duration of each
// operation. -calibrate prints the rounds of work for a duration; -verdicts and -read print a
// trial's line.
func duet(args []string) {
	flags := flag.NewFlagSet("duet", flag.ExitOnError)
	calibrate := flags.Duration("calibrate", 0, "print how many rounds this takes of a processor that nobody else uses")
	run := flags.String("read", "", "the report of a run, for the ratios of its first duet")
	verdicts := flags.String("verdicts", "", "print the line of a trial from what k6 x sweep gate --json has written")
	rounds := flags.Int("rounds", 0, "work of an operation")
	_ = flags.Parse(args) // it exits
	switch {
	case *calibrate > 0:
		fmt.Println(roundsIn(*calibrate))
	case *verdicts != "":
		line, err := trial(*verdicts, *run)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(line)
	default:
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(listener.Addr())
		c := &cache{rounds: *rounds}
		for {
			conn, err := listener.Accept()
			if err != nil {
				log.Fatal(err)
			}
			go c.serve(conn)
		}
	}
}

var sink atomic.Uint64 //nolint:gochecknoglobals // a local variable could be optimized away

func work(rounds int) {
	x := uint64(1)
	for range rounds {
		x = x*6364136223846793005 + 1442695040888963407
	}
	sink.Store(x)
}

// roundsIn returns the number of rounds that a duration allows. It takes the maximum of many tries
// over some seconds, because disturbances only reduce the number, and may last.
func roundsIn(d time.Duration) (most int) {
	const n, looks = 1_000_000, 5 * time.Second
	for until := time.Now().Add(looks); time.Now().Before(until); {
		begin := time.Now()
		work(n)
		most = max(most, int(n*d.Seconds()/time.Since(begin).Seconds()))
	}

	return most
}

type cache struct {
	rounds int
	values sync.Map
}

// Flush reports write errors.
func (c *cache) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	in, out := bufio.NewReader(conn), bufio.NewWriter(conn)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		words := strings.Fields(line)
		switch {
		case len(words) > 1 && words[0] == "get":
			work(c.rounds)
			c.get(out, words[1:])
		case len(words) > 4 && (words[0] == "set" || words[0] == "add"):
			size, err := strconv.Atoi(words[4])
			if err != nil {
				return
			}
			value := make([]byte, size+2)
			if _, err := io.ReadFull(in, value); err != nil {
				return
			}
			c.values.Store(words[1], value)
			_, _ = fmt.Fprint(out, "STORED\r\n")
		case len(words) == 1 && words[0] == "version":
			_, _ = fmt.Fprint(out, "VERSION 1.6.18\r\n")
		default:
			_, _ = fmt.Fprint(out, "ERROR\r\n")
		}
		if in.Buffered() == 0 && out.Flush() != nil {
			return
		}
	}
}

func (c *cache) get(out io.Writer, keys []string) {
	for _, key := range keys {
		value, _ := c.values.Load(key)
		if value, found := value.([]byte); found {
			_, _ = fmt.Fprintf(out, "VALUE %s 0 %d\r\n%s", key, len(value)-2, value)
		}
	}
	_, _ = fmt.Fprint(out, "END\r\n")
}
