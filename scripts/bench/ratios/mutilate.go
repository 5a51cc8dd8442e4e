package main

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// mutilate is a benchmark of memcached in C++, with an eye on its tail. It is measured where it is
// installed.
const mutilate = "mutilate"

// mutilateSeconds are the shorter and the longer one of its runs, which take whole seconds.
const mutilateSeconds, mutilateLonger = 1, 2

// mutilateGets is a run of it, of gets of as many keys, as large, and all there. It works for a
// time, and not for a number of gets: what its longer run takes beyond the shorter one is that of
// the gets which it does beyond.
func mutilateGets(clients int) func() (figures, error) {
	return func() (figures, error) {
		host, port, err := addressOf("memcached")
		if err != nil {
			return figures{}, err
		}
		common := []string{"--server=" + host + ":" + port, "--records=" + cacheKeys, "--keysize=fixed:16", "--valuesize=fixed:100"}
		if _, _, err := output(command(mutilate, append(common, "--loadonly")...)); err != nil {
			return figures{}, err
		}
		threads := min(clients, 2)
		run := func(seconds int) (mutilated, spending, error) {
			out, used, err := output(command(mutilate, append(common, "--noload", "--update=0", "--blocking",
				"--threads="+strconv.Itoa(threads), "--connections="+strconv.Itoa(clients/threads), "--time="+strconv.Itoa(seconds))...))
			if err != nil {
				return mutilated{}, used, err
			}
			m, err := parseMutilate(string(out))

			return m, used, err
		}
		short, began, err := run(mutilateSeconds)
		if err != nil {
			return figures{}, err
		}
		long, used, err := run(mutilateLonger)
		if err != nil {
			return figures{}, err
		}
		f := long.figures
		f.CPUMicros, f.MemoryMB = micros(used.cpu-began.cpu, long.gets-short.gets), used.memoryMB

		return f, nil
	}
}

// micros is the processor time of each of so many operations; 0, which is not known, where there
// are none.
func micros(cpu time.Duration, operations int) float64 {
	if operations <= 0 {
		return 0
	}

	return max(float64(cpu.Nanoseconds())/1e3/float64(operations), 0)
}

// mutilated is what a run of it has come to.
type mutilated struct {
	figures

	gets int
}

var (
	mutilateRead   = regexp.MustCompile(`(?m)^read\s.*\s([\d.]+)$`)
	mutilateTotal  = regexp.MustCompile(`(?m)^Total QPS = ([\d.]+) \((\d+) / `)
	mutilateMisses = regexp.MustCompile(`(?m)^Misses = (\d+) `)
)

// parseMutilate reads what it prints: the last of its percentiles is p99, in microseconds. It tells
// no p50. Misses are failures.
func parseMutilate(out string) (m mutilated, err error) {
	read, total, misses := mutilateRead.FindStringSubmatch(out), mutilateTotal.FindStringSubmatch(out), mutilateMisses.FindStringSubmatch(out)
	if read == nil || total == nil || misses == nil {
		return m, fmt.Errorf("mutilate printed no figures: %s", out)
	}
	if m.OpsPerSecond, err = strconv.ParseFloat(total[1], 64); err != nil {
		return m, err
	}
	if m.P99Ms, err = strconv.ParseFloat(read[1], 64); err != nil {
		return m, err
	}
	m.P99Ms /= 1e3
	if m.gets, err = strconv.Atoi(total[2]); err != nil {
		return m, err
	}
	m.Failed, err = strconv.Atoi(misses[1])

	return m, err
}
