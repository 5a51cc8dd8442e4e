package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

const (
	// clients work at the same time.
	clients = 2
	// runRepeats are those of a run, of which the median counts.
	runRepeats = 5
	// repeatTime is how long a repeat takes.
	repeatTime = 60 * time.Millisecond
)

// figureNames are the columns of the recorded noise.
var figureNames = []string{"opsPerSecond", "p50", "p90", "p99"} //nolint:gochecknoglobals // a constant

// record measures the same work again and again, and writes a line for each run: what a machine
// does to figures of which nobody has changed anything. An operation looks up 200 keys in a store
// in this process: it has no network in it, and takes some 8 us.
func record(runs int, out io.Writer) error {
	store := newStore()
	if _, err := fmt.Fprintln(out, "run,"+strings.Join(figureNames, ",")); err != nil {
		return err
	}
	for run := range runs {
		values := make([][]float64, len(figureNames))
		for range runRepeats {
			for i, v := range measureOnce(store) {
				values[i] = append(values[i], v)
			}
		}
		line := strconv.Itoa(run)
		for i := range figureNames {
			line += fmt.Sprintf(",%.6g", report.Median(values[i]))
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}

	return nil
}

// keys is how many the store has.
const keys = 5_000

func newStore() map[string][]byte {
	store := make(map[string][]byte, keys)
	for i := range keys {
		store["key-"+strconv.Itoa(i)] = []byte(strconv.Itoa(i))
	}

	return store
}

// measureOnce returns the figures of a repeat, in the order of figureNames.
func measureOnce(store map[string][]byte) []float64 {
	var all measure.Distribution
	var mu sync.Mutex
	var work sync.WaitGroup
	begin := time.Now()
	for client := range clients {
		work.Go(func() {
			own := look(store, client, begin.Add(repeatTime))
			mu.Lock()
			defer mu.Unlock()
			for _, d := range own {
				all.Record(d)
			}
		})
	}
	work.Wait()
	n := float64(all.Count)

	return []float64{
		n / time.Since(begin).Seconds(), report.Ms(all.Quantile(0.5)), report.Ms(all.Quantile(0.9)), report.Ms(all.Quantile(0.99)),
	}
}

// look is the work of a client.
func look(store map[string][]byte, client int, end time.Time) []time.Duration {
	durations := make([]time.Duration, 0, 1<<13)
	random := rand.New(rand.NewPCG(1, uint64(client)))
	var name []byte
	for {
		began := time.Now()
		if began.After(end) {
			return durations
		}
		sum := 0
		for range 200 {
			name = strconv.AppendInt(append(name[:0], "key-"...), int64(random.IntN(keys)), 10)
			sum += len(store[string(name)])
		}
		if sum == 0 {
			panic("the store is empty")
		}
		durations = append(durations, time.Since(began))
	}
}
