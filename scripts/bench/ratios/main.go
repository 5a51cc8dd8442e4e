// Command ratios runs k6 and the native reference program in turns against the same server, and prints the medians of
// both and their ratios: operations a second, and processor time of the client per operation, which is the figure that
// holds on a noisy machine. Then it looks at k6 with 512 clients: failures, and resident memory.
//
// It expects bin/k6 and bin/native in the current folder, a loaded Machbase at MACHBASE_URL, and an idle machine.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
)

func main() {
	rounds := flag.Int("rounds", 5, "how often each program runs each cell; medians are printed")
	operations := flag.Int("ops", 16000, "operations of a cell, over all its clients")
	flag.Parse()

	if err := bench(*rounds, *operations); err != nil {
		fmt.Fprintln(os.Stderr, "ratios:", err)
		os.Exit(1)
	}
}

func bench(rounds, operations int) error {
	fmt.Printf("%d cores, %s; %d rounds, %d operations a cell, in turns; medians\n\n",
		runtime.NumCPU(), runtime.Version(), rounds, operations)

	held := true
	fmt.Println("| reuse | clients | k6 ops/s | native ops/s | ratio (>= 0.95) " +
		"| k6 us/op | native us/op | ratio (<= 1.15) | k6 p99 ms | native p99 |")
	fmt.Println("|-------|--------:|---------:|-------------:|----------------:" +
		"|---------:|-------------:|----------------:|----------:|-----------:|")
	for _, reuse := range []bool{false, true} {
		for _, clients := range []int{1, 8, 16, 32, 64} {
			c, err := measure(rounds, clients, operations/clients, reuse)
			if err != nil {
				return err
			}
			fmt.Println(c)
			held = held && c.holds()
		}
	}

	crowd, err := measureCrowd()
	if err != nil {
		return err
	}
	fmt.Printf("\n%s\n", crowd)
	if !held || !crowd.holds() {
		return fmt.Errorf("a bound does not hold, see above")
	}

	return nil
}
