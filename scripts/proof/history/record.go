package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/shirou/gopsutil/v4/cpu"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

const (
	// clients work at the same time.
	clients = 2
	// runRepeats are those of a run, of which the median counts.
	runRepeats = 5
	// repeatTime is how long a repeat takes.
	repeatTime = 100 * time.Millisecond
	// duetTime is how long a run's duet takes, of which both variants are the same.
	duetTime = 2 * time.Second
)

// The columns of the recorded noise beside the figures.
const (
	runColumn = "run"
	// othersColumn is which part of the machine's processors others used.
	othersColumn = "others"
)

// figureNames are the columns with figures. cpu is the processor time of an operation, and duet the
// ratio of the ops/s of two variants, both of which are the same work.
var figureNames = []string{"opsPerSecond", "p50", "p90", "p99", "cpu", "duet"} //nolint:gochecknoglobals // a constant

// record measures the same work again and again, and appends a line to the file for each run: what
// a machine does to figures of which nobody has changed anything. It goes on where an earlier
// recording has stopped, until the file has so many runs. An operation looks up 200 keys in a store
// in this process: it has no network in it, and takes some 8 us.
func record(runs int, file, command string) error {
	header := strings.Join(slices.Concat([]string{runColumn, othersColumn}, figureNames), ",")
	there, err := recorded(file, header)
	if err != nil {
		return err
	}
	to, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer to.Close() //nolint:errcheck // each line is checked
	if there < 0 {
		on := report.ThisHost()
		if _, err := fmt.Fprintf(to, "# Recorded from %s on, on %s (%d processors), %s, %s, by `%s`.\n%s\n",
			time.Now().UTC().Format(time.DateOnly), cmp.Or(on.CPU, "an unknown processor"),
			on.Cores, on.OS, runtime.Version(), command, header); err != nil {
			return err
		}
	}
	store := newStore()
	for run := max(there, 0); run < runs; run++ {
		line, err := runOnce(store)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(to, "%d,%s\n", run, line); err != nil {
			return err
		}
	}

	return nil
}

// recorded is how many runs the file has; -1 where it is not there or empty. What a stop has left
// of a line is cut off.
func recorded(file, header string) (int, error) {
	raw, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(raw) == 0 {
		return -1, nil
	}
	if err != nil {
		return 0, err
	}
	whole := raw[:bytes.LastIndexByte(raw, '\n')+1]
	rows, err := newReader(bytes.NewReader(whole)).ReadAll()
	switch {
	case err != nil:
		return 0, fmt.Errorf("%s: %w", file, err)
	case len(rows) == 0 || strings.Join(rows[0], ",") != header:
		return 0, fmt.Errorf("%s has other columns: take it away to record anew", file)
	}

	return len(rows) - 1, os.Truncate(file, int64(len(whole)))
}

// newReader reads recorded noise, whose first line says where it is from.
func newReader(from io.Reader) *csv.Reader {
	r := csv.NewReader(from)
	r.Comment = '#'

	return r
}

// runOnce is a run: the part of others, and its figures.
func runOnce(store map[string][]byte) (string, error) {
	begin := time.Now()
	busy, err := machineTime()
	if err != nil {
		return "", err
	}
	own := host.NewCPUMeter(nil)
	own.Start()
	values := make([][]float64, len(figureNames)-1)
	for range runRepeats {
		for i, v := range measureOnce(store) {
			values[i] = append(values[i], v)
		}
	}
	ratio, err := duet(store)
	if err != nil {
		return "", err
	}
	own.Stop()
	then, err := machineTime()
	if err != nil {
		return "", err
	}
	spent := own.Spent()
	whole := time.Since(begin).Seconds() * float64(runtime.NumCPU())
	line := fmt.Sprintf("%.3f", max(then-busy-spent.K6, 0)/whole)
	for i := range values {
		line += fmt.Sprintf(",%.6g", report.Median(values[i]))
	}

	return line + fmt.Sprintf(",%.6g", ratio), nil
}

// machineTime is the processor time that the machine has used until now, in seconds.
func machineTime() (float64, error) {
	machine, err := cpu.Times(false)
	if err != nil {
		return 0, err
	}
	all := machine[0]

	return all.User + all.System + all.Nice + all.Irq + all.Softirq + all.Steal, nil
}

// duet is the ratio of the rates of two variants that take turns in a step, as the product measures
// it.
func duet(store map[string][]byte) (float64, error) {
	step := measure.NewStep(clients, measure.Plan{Duration: duetTime, Seed: rand.Uint32()}, nil)
	errs := make([]error, clients)
	var work sync.WaitGroup
	for i := range clients {
		work.Go(func() {
			client, seek := step.Client(i), newSeeker(store, i)
			recorder := client.Recorder("look")
			looks := func() error {
				for {
					began := time.Now()
					seek.keys()
					recorder.Ok(time.Since(began))
					if client.Enough() {
						return nil
					}
				}
			}
			errs[i] = client.RunDuet(context.Background(), "look", nil, looks, looks)
		})
	}
	work.Wait()
	reading := step.Read()
	rate := func(variant measure.Variant) float64 {
		of := reading.Of(variant, "look")

		return float64(of.Durations.Count) / of.Time.Seconds()
	}

	return rate(measure.Change) / rate(measure.Base), errors.Join(errs...)
}

// together is the work of all clients for a time.
func together(store map[string][]byte, length time.Duration) (all measure.Distribution, took time.Duration) {
	var mu sync.Mutex
	var work sync.WaitGroup
	begin := time.Now()
	for client := range clients {
		work.Go(func() {
			own := look(store, client, begin.Add(length))
			mu.Lock()
			defer mu.Unlock()
			for _, d := range own {
				all.Record(d)
			}
		})
	}
	work.Wait()

	return all, time.Since(begin)
}

// measureOnce returns the figures of a repeat, in the order of figureNames.
func measureOnce(store map[string][]byte) []float64 {
	own := host.NewCPUMeter(nil)
	own.Start()
	all, took := together(store, repeatTime)
	own.Stop()
	spent := own.Spent()
	n := float64(all.Count)

	return []float64{
		n / took.Seconds(), report.Ms(all.Quantile(0.5)), report.Ms(all.Quantile(0.9)), report.Ms(all.Quantile(0.99)), 1000 * spent.K6 / n,
	}
}

// spin is what the child of withNeighbour does: it takes a processor in bursts, half of the time,
// until its standard input ends.
func spin() {
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // its end is all that counts
		close(ended)
	}()
	burst := func() time.Duration { return 200*time.Millisecond + rand.N(2800*time.Millisecond) }
	for {
		for until := time.Now().Add(burst()); time.Now().Before(until); {
			select {
			case <-ended:
				return
			default:
			}
		}
		select {
		case <-ended:
			return
		case <-time.After(burst()):
		}
	}
}

// withNeighbour does the work beside a process that takes a processor in bursts.
func withNeighbour(work func() error) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.Command(program, "-spin") //nolint:noctx // it ends with its standard input
	stdin, err := child.StdinPipe()
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return err
	}
	err = work()

	return errors.Join(err, stdin.Close(), child.Wait())
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

// seeker looks keys up.
type seeker struct {
	store  map[string][]byte
	random *rand.Rand
	name   []byte
}

func newSeeker(store map[string][]byte, client int) *seeker {
	return &seeker{store: store, random: rand.New(rand.NewPCG(1, uint64(client)))}
}

// keys is an operation.
func (s *seeker) keys() {
	sum := 0
	for range 200 {
		s.name = strconv.AppendInt(append(s.name[:0], "key-"...), int64(s.random.IntN(keys)), 10)
		sum += len(s.store[string(s.name)])
	}
	if sum == 0 {
		panic("the store is empty")
	}
}

// look is the work of a client.
func look(store map[string][]byte, client int, end time.Time) []time.Duration {
	durations := make([]time.Duration, 0, 1<<13)
	seek := newSeeker(store, client)
	for {
		began := time.Now()
		if began.After(end) {
			return durations
		}
		seek.keys()
		durations = append(durations, time.Since(began))
	}
}
