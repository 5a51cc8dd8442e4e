// Command duet is what scripts/proof/duet.sh measures: a cache that speaks as much memcached as
// cache-sweep needs, and of which it is known how long an operation takes. It prints the address
// that it listens at; with -calibrate, how many rounds of work a time has; with -read, the figures
// of the first duet of a report.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func main() {
	calibrate := flag.Duration("calibrate", 0, "print how many rounds this takes of a processor that nobody else uses")
	read := flag.String("read", "", "print the figures of this report's first duet: ratio, low, high and visible of ops/s, and of p99")
	rounds := flag.Float64("rounds", 0, "work of an operation")
	slow := flag.Float64("slow", 0, "the part of all operations that is slow")
	tail := flag.Float64("tail", 10, "how much longer a slow operation takes")
	flag.Parse()
	switch {
	case *calibrate > 0:
		fmt.Println(roundsIn(*calibrate))
	case *read != "":
		if err := figures(*read); err != nil {
			log.Fatal(err)
		}
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

func figures(path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	r, err := report.Read(raw)
	if err != nil {
		return err
	}
	if len(r.Duets) == 0 {
		return fmt.Errorf("%s has no duet", path)
	}
	d := &r.Duets[0]
	for _, key := range []string{"opsPerSecond", "p99"} {
		f := d.Of(key)
		if f == nil {
			return fmt.Errorf("%s has no %s: %s", path, key, d.Why)
		}
		fmt.Printf("%.5f\t%.5f\t%.5f\t%.5f\t", f.Ratio, f.Low, f.High, f.Visible)
	}
	fmt.Printf("%.0f\t%g\n", d.Of("opsPerSecond").Base, d.SliceSeconds)

	return nil
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

// roundsIn is how many rounds a time has: the most of several tries, as what disturbs only takes.
func roundsIn(d time.Duration) (most int) {
	const n = 1_000_000
	for range 200 {
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
