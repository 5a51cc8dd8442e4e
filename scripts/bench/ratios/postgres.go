package main

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// pgbench is PostgreSQL's own benchmark, in C.
const pgbench = "pgbench"

// How many rows a second one client finds, roughly, and how many times as many do many.
const postgresSolo, postgresCrowd = 4000, 3

// measurePostgres is finding a row by its key through k6/x/sql, beside pgbench. Both prepare the
// statement once for each connection: pgx, the driver of k6/x/sql, does so by itself.
func measurePostgres(e *effort) (result, error) {
	var all []*contest
	for _, clients := range []int{1, 8, 64, 512} {
		share := e.share(clients, postgresSolo, postgresCrowd)
		all = append(all, &contest{
			work: "select by key", clients: clients,
			k6: entrant{program: "k6/x/sql", run: k6Selects(clients, share)},
			besideIt: []entrant{
				{program: "pgbench, prepared", needs: pgbench, peer: true, bounds: besidePgbench(), run: pgbenchSelects(clients, share)},
			},
		})
	}

	return compete(e, "a row of PostgreSQL by its key, of the 100,000 of pgbench", all)
}

// k6Selects is a run of the same through k6.
func k6Selects(clients, perClient int) func() (figures, error) {
	return func() (figures, error) {
		return stepFigures("scripts/bench/postgres.js", "postgres", map[string]string{
			"CLIENTS": strconv.Itoa(clients), "ITERATIONS": strconv.Itoa(perClient), "WARMUP": warmup,
		})
	}
}

// fillPostgres makes pgbench's tables, of its smallest scale, once.
var fillPostgres = sync.OnceValue(func() error { //nolint:gochecknoglobals // of the server that this process uses
	_, _, err := output(command(pgbench, "--initialize", "--scale=1", "--quiet", os.Getenv("POSTGRES_URL")))

	return err
})

// pgbenchSelects is a run of pgbench, which logs a tenth of the latencies.
func pgbenchSelects(clients, perClient int) func() (figures, error) {
	return func() (figures, error) {
		dir, err := os.MkdirTemp("", "pgbench")
		if err != nil {
			return figures{}, err
		}
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
		out, micros, used, err := beyondStart(clients, perClient, func(transactions int) ([]byte, spending, error) {
			return output(command(pgbench, "--no-vacuum", "--select-only", "--protocol=prepared", "--client="+strconv.Itoa(clients),
				"--jobs="+strconv.Itoa(min(clients, 2)), "--transactions="+strconv.Itoa(transactions),
				"--log", "--log-prefix="+filepath.Join(dir, "log"), "--sampling-rate=0.1", os.Getenv("POSTGRES_URL")))
		})
		if err != nil {
			return figures{}, err
		}
		f, err := parsePgbench(string(out), dir)
		f.CPUMicros, f.MemoryMB = micros, used.memoryMB

		return f, err
	}
}

var (
	pgbenchRate   = regexp.MustCompile(`tps = ([\d.]+) \(without initial connection time\)`)
	pgbenchFailed = regexp.MustCompile(`number of failed transactions: (\d+)`)
)

// parsePgbench reads what it prints, and the latencies of its logs in a folder.
func parsePgbench(out, dir string) (f figures, err error) {
	found := pgbenchRate.FindStringSubmatch(out)
	if found == nil {
		return f, fmt.Errorf("pgbench printed no tps: %s", out)
	}
	if f.OpsPerSecond, err = strconv.ParseFloat(found[1], 64); err != nil {
		return f, err
	}
	if failed := pgbenchFailed.FindStringSubmatch(out); failed != nil {
		f.Failed, err = strconv.Atoi(failed[1])
	}
	files, globErr := filepath.Glob(filepath.Join(dir, "log.*"))
	if err = errors.Join(err, globErr); err != nil {
		return f, err
	}
	var latencies []float64
	for _, file := range files {
		if latencies, err = appendLatencies(latencies, file); err != nil {
			return f, err
		}
	}
	if len(latencies) == 0 {
		return f, errors.New("pgbench logged no latency")
	}
	f.P50Ms = middle(latencies) // sorts them
	f.P99Ms = latencies[int(math.Ceil(float64(len(latencies))*0.99))-1]

	return f, nil
}

// appendLatencies reads a log: the third word of a line is a latency in microseconds.
func appendLatencies(latencies []float64, file string) ([]float64, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) < 3 {
			return nil, fmt.Errorf("%s: the line %q has no latency", file, lines.Text())
		}
		micros, err := strconv.ParseFloat(words[2], 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		latencies = append(latencies, micros/1e3)
	}

	return latencies, lines.Err()
}
