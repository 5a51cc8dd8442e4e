// Command duet is what scripts/proof/duet.sh measures: a cache that speaks as much memcached as
// cache-sweep needs, and of which it is known how long an operation takes. It prints the address
// that it listens at; with -calibrate, how many rounds of work a time has; with -verdicts or
// -pairs, the line of a trial: the outcomes of the gates of ops/s and p99, then ratio and visible
// change of each, zero where they are not known.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

func main() {
	calibrate := flag.Duration("calibrate", 0, "print how many rounds this takes of a processor that nobody else uses")
	run := flag.String("read", "", "the report of a run, for the ratios of its first duet")
	verdicts := flag.String("verdicts", "", "print the line of a trial from what k6 x sweep gate --json has written")
	pairs := flag.String("pairs", "", "print the line of a trial from what k6 x sweep ab --json has written")
	rounds := flag.Float64("rounds", 0, "work of an operation")
	slow := flag.Float64("slow", 0, "the part of all operations that is slow")
	tail := flag.Float64("tail", 10, "how much longer a slow operation takes")
	flag.Parse()
	switch {
	case *calibrate > 0:
		fmt.Println(roundsIn(*calibrate))
	case *verdicts != "":
		show(ofGates(*verdicts, *run))
	case *pairs != "":
		show(ofPairs(*pairs))
	default:
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(listener.Addr())
		c := &cache{rounds: *rounds, slow: *slow, tail: *tail}
		for {
			conn, err := listener.Accept()
			if err != nil {
				log.Fatal(err)
			}
			go c.serve(conn)
		}
	}
}

// sink takes what work makes, so that the compiler leaves the work alone.
var sink atomic.Uint64 //nolint:gochecknoglobals // what is local could be left out

// work does so many rounds.
func work(rounds float64) {
	x := uint64(1)
	for range int(rounds) {
		x = x*6364136223846793005 + 1442695040888963407
	}
	sink.Store(x)
}

// roundsIn is how many rounds a time has: the most of many tries over some seconds, as what
// disturbs only takes, and a disturbance may last.
func roundsIn(d time.Duration) (most int) {
	const n, looks = 1_000_000, 5 * time.Second
	for until := time.Now().Add(looks); time.Now().Before(until); {
		begin := time.Now()
		work(n)
		most = max(most, int(n*d.Seconds()/time.Since(begin).Seconds()))
	}

	return most
}

// cache holds what was set.
type cache struct {
	rounds, slow, tail float64
	values             sync.Map
}

// serve answers memcached's text protocol until the connection ends: what cannot be written shows
// when it is flushed.
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
			c.take()
			c.get(out, words[1:])
		case len(words) > 4 && (words[0] == "set" || words[0] == "add"): // key, flags, time to live, size
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

// take does the work of an operation.
func (c *cache) take() {
	rounds := c.rounds
	if rand.Float64() < c.slow {
		rounds *= c.tail
	}
	work(rounds)
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
