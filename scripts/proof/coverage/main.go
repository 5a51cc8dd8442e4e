// Command coverage is what scripts/proof/coverage.sh measures: an HTTP server whose answers take a
// known time, by timers. It prints the address that it listens at. With -neighbour it takes a
// processor in random bursts; with -tally it says how many intervals of a folder's reports hold the
// truth.
package main

import (
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// least and more are the time of an answer: least, and an exponential time with the mean more.
const (
	least = 20 * time.Millisecond
	more  = 20 * time.Millisecond
)

func main() {
	bursts := flag.Duration("neighbour", 0, "take a processor in bursts of at most so long, with rests as long")
	folder := flag.String("tally", "", "say how many intervals of the reports in this folder hold the truth")
	flag.Parse()
	switch {
	case *bursts > 0:
		takeProcessor(*bursts)
	case *folder != "":
		if err := tally(*folder); err != nil {
			log.Fatal(err)
		}
	default:
		log.Fatal(serve())
	}
}

func serve() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	server := http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		time.Sleep(least + time.Duration(rand.ExpFloat64()*float64(more)))
	})}

	return server.Serve(listener)
}

// takeProcessor works and rests in turns until it is killed, for a tenth of the most at least.
func takeProcessor(most time.Duration) {
	random := func() time.Duration { return most/10 + rand.N(most-most/10) }
	for {
		for until := time.Now().Add(random()); time.Now().Before(until); { //nolint:revive // that is the work
		}
		time.Sleep(random())
	}
}

// tally prints two rows for the runs beside each, and two for all.
func tally(folder string) error {
	fmt.Println("| beside | figure | runs | intervals with the truth | share | of the runs, half an interval | spread of the runs |")
	fmt.Println("|---|---|---:|---:|---:|---:|---:|")
	figures := []*report.Figure{report.FigureOf("ops_per_second"), report.FigureOf("p99")}
	held, known := make([]int, len(figures)), make([]int, len(figures))
	for _, beside := range []string{"quiet", "neighbour"} {
		paths, err := filepath.Glob(filepath.Join(folder, beside+"-*.json"))
		if err != nil {
			return err
		}
		var runs []*report.Step
		for _, path := range paths {
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			r, err := report.Read(raw)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if s := &r.Steps[0]; s.Intervals != nil && s.Complete {
				runs = append(runs, s)
			} else {
				fmt.Fprintf(os.Stderr, "%s has no interval: it is left out\n", path)
			}
		}
		if len(runs) < 2 {
			fmt.Fprintf(os.Stderr, "%s: two runs are needed at least, and there are %d\n", beside, len(runs))

			continue
		}
		for i, f := range figures {
			h, k, err := row(beside, f, runs)
			if err != nil {
				return err
			}
			held[i] += h
			known[i] += k
		}
	}
	for i, f := range figures {
		fmt.Printf("| all | %s | %d | %d | %.1f %% | | |\n", f.Name, known[i], held[i], percent(held[i], known[i]))
	}

	return nil
}

func percent(held, known int) float64 { return 100 * float64(held) / float64(max(known, 1)) }

// row prints what came of a figure, and returns of how many intervals, and how many had the truth.
func row(beside string, f *report.Figure, runs []*report.Step) (held, known int, err error) {
	each := make([]measure.Distribution, len(runs))
	mean, squares, half := 0.0, 0.0, 0.0
	for i, s := range runs {
		if each[i], err = measure.Decode(s.Histogram); err != nil {
			return 0, 0, err
		}
		mean += f.Of(s) / float64(len(runs))
	}
	var beyond strings.Builder
	for i, s := range runs {
		squares += (f.Of(s) - mean) * (f.Of(s) - mean)
		interval, is := s.Interval(f)
		if !is {
			continue
		}
		known++
		half += (interval.High - interval.Low) / 2 / f.Of(s)
		var truth float64
		if f.Rate { // windows are of one length
			truth = (mean*float64(len(runs)) - f.Of(s)) / float64(len(runs)-1)
		} else {
			truth = others(runs, each, i)
		}
		if interval.Low <= truth && truth <= interval.High {
			held++
		} else {
			fmt.Fprintf(&beyond, " %.4g", truth/f.Of(s))
		}
	}
	spread := math.Sqrt(squares/float64(len(runs)-1)) / mean
	fmt.Printf("| %s | %s | %d | %d | %.1f %% | %.2f %% | %.2f %% |\n", beside, f.Name, known, held,
		percent(held, known), 100*half/float64(max(known, 1)), 100*1.96*spread)
	if beyond.Len() > 0 {
		fmt.Fprintf(os.Stderr, "%s, %s: truth by figure where it was missed:%s\n", beside, f.Name, beyond.String())
	}

	return held, known, nil
}

// others is p99 of all runs but one, in milliseconds.
func others(runs []*report.Step, each []measure.Distribution, but int) float64 {
	var all measure.Distribution
	for i := range runs {
		if i != but {
			all.Merge(&each[i])
		}
	}

	return report.Ms(all.Quantile(0.99))
}
