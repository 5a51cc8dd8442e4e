package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	memtier        = "memtier_benchmark"
	redisBenchmark = "redis-benchmark"
	pgbench        = "pgbench"
	stockgo        = "stockgo"
	natsCLI        = "bin/nats-cli"
	ghz            = "bin/ghz"
)

const keys, valueBytes, batch = "10000", "100", 50

func peer(parse func(out []byte) (figures, error), program string, args ...string) (figures, error) {
	out, spent, err := output(command(program, args...))
	if err != nil {
		return figures{}, err
	}
	f, err := parse(out)
	if err == nil && (f.operations <= 0 || f.Rate <= 0) {
		err = errNoFigures
	}
	if err != nil {
		return figures{}, fmt.Errorf("%w: %.300s", err, out)
	}
	f.CPU = micros(spent, f.operations)

	return f, nil
}

func memtierGets(variable, protocol string, pipeline int) func(load) (figures, error) {
	common := func(file string) ([]string, error) {
		host, port, err := place(variable)

		return []string{
			"--server=" + host, "--port=" + port, "--protocol=" + protocol, "--key-prefix=memtier:", "--key-minimum=1", "--key-maximum=" + keys,
			"--data-size=" + valueBytes, "--threads=1", "--hide-histogram", "--json-out-file=" + file,
		}, err
	}

	return func(l load) (figures, error) {
		dir, err := os.MkdirTemp("", "memtier")
		if err != nil {
			return figures{}, err
		}
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
		file := filepath.Join(dir, "results.json")
		args, err := common(file)
		if err != nil {
			return figures{}, err
		}
		fill := slices.Concat(args, []string{"--clients=1", "--ratio=1:0", "--key-pattern=S:S", "--requests=" + keys})
		if _, _, err := output(command(memtier, fill...)); err != nil {
			return figures{}, err
		}
		args = append(args, "--clients="+strconv.Itoa(l.clients), "--ratio=0:1", "--key-pattern=R:R", "--pipeline="+strconv.Itoa(pipeline),
			fmt.Sprintf("--test-time=%.0f", l.seconds))
		if l.open {
			args = append(args, fmt.Sprintf("--rate-limiting=%.0f", l.rate/float64(l.clients)))
		}

		return peer(func([]byte) (figures, error) {
			raw, err := os.ReadFile(file)
			if err != nil {
				return figures{}, err
			}

			f, err := parseMemtier(raw)
			f.Rate = f.operations / l.seconds // its own figure is wrong for short runs

			return f, err
		}, memtier, args...)
	}
}

func parseMemtier(raw []byte) (figures, error) {
	var written struct {
		All struct {
			Gets struct {
				Misses float64 `json:"Misses/sec"`
			} `json:"Gets"`
			Totals struct {
				Count       float64 `json:"Count"`
				Rate        float64 `json:"Ops/sec"`
				Percentiles struct {
					P50 float64 `json:"p50.00"`
					P99 float64 `json:"p99.00"`
				} `json:"Percentile Latencies"`
			} `json:"Totals"`
		} `json:"ALL STATS"`
	}
	if err := json.Unmarshal(raw, &written); err != nil {
		return figures{}, err
	}
	if written.All.Gets.Misses > 0 {
		return figures{}, errors.New("gets have missed")
	}
	totals := written.All.Totals

	return figures{Rate: totals.Rate, P50: totals.Percentiles.P50, P99: totals.Percentiles.P99, operations: totals.Count}, nil
}

func redisBenchmarkGets(pipeline int) func(load) (figures, error) {
	return func(l load) (figures, error) {
		host, port, err := place("REDIS_URL")
		if err != nil {
			return figures{}, err
		}
		n := l.operations()

		return peer(func(out []byte) (figures, error) { return parseRedisBenchmark(out, n) },
			redisBenchmark, "-h", host, "-p", port, "-t", "get", "-c", strconv.Itoa(l.clients), "-n", strconv.Itoa(n),
			"-r", keys, "-d", valueBytes, "-P", strconv.Itoa(pipeline), "--csv")
	}
}

func parseRedisBenchmark(out []byte, operations int) (figures, error) {
	lines, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	if err != nil || len(lines) != 2 {
		return figures{}, errNoFigures
	}
	f := figures{operations: float64(operations)}
	for name, to := range map[string]*float64{"rps": &f.Rate, "p50_latency_ms": &f.P50, "p99_latency_ms": &f.P99} {
		at := slices.Index(lines[0], name)
		if at < 0 {
			return figures{}, fmt.Errorf("it printed no %s", name)
		}
		if *to, err = strconv.ParseFloat(lines[1][at], 64); err != nil {
			return figures{}, fmt.Errorf("%s: %w", name, err)
		}
	}

	return f, nil
}

// stockgoRollups runs the original program of machbase/neo-tester for a number of operations. It
// reports no percentiles.
func stockgoRollups(l load) (figures, error) {
	host, port, err := place("MACHBASE_URL")
	if err != nil {
		return figures{}, err
	}
	perClient := max(l.operations()/l.clients, 1)

	return peer(func(out []byte) (figures, error) { return parseStockgo(out, perClient*l.clients) },
		stockgo, "-h", host, "-p", port, "-rollup", "-reuse", "-code", "WISH", "-c", strconv.Itoa(l.clients), "-n", strconv.Itoa(perClient))
}

var stockgoRate = regexp.MustCompile(`completed in \S+\s+(\d+) ops/sec`)

func parseStockgo(out []byte, operations int) (figures, error) {
	found := stockgoRate.FindSubmatch(out)
	if found == nil || bytes.Contains(out, []byte("error(")) {
		return figures{}, errNoFigures
	}
	perSecond, err := strconv.ParseFloat(string(found[1]), 64)

	return figures{Rate: perSecond, operations: float64(operations)}, err
}

func natsBench(kind string) func(load) (figures, error) {
	const bucket, subject = "bench-nats-cli", "bench.nats-cli"
	tool := func(args ...string) []string {
		return slices.Concat(args, []string{"--no-context", "--server=" + os.Getenv("NATS_URL")})
	}

	return func(l load) (figures, error) {
		var args []string
		switch kind {
		case "put", "get":
			if _, _, err := output(command(natsCLI, tool("kv", "add", bucket)...)); err != nil {
				return figures{}, err
			}
			defer func() { _, _, _ = output(command(natsCLI, tool("kv", "del", "--force", bucket)...)) }() // the bucket is not used again
			fill := tool("bench", "kv", "put", "--bucket="+bucket, "--size="+valueBytes, "--msgs="+keys, "--no-progress")
			if _, _, err := output(command(natsCLI, fill...)); err != nil {
				return figures{}, err
			}
			args = []string{"bench", "kv", kind, "--bucket=" + bucket, "--size=" + valueBytes, "--randomize=" + keys}
		case "request":
			serve := command(natsCLI, tool("bench", "service", "serve", subject, "--size="+valueBytes, "--msgs=2000000000", "--no-progress")...)
			if err := serve.Start(); err != nil {
				return figures{}, err
			}
			defer func() {
				_ = serve.Process.Kill()
				_ = serve.Wait()
			}()
			args = []string{"bench", "service", "request", subject, "--size=" + valueBytes}
			if err := answers(tool(append(slices.Clone(args), "--msgs=1", "--no-progress")...)); err != nil {
				return figures{}, err
			}
		default:
			args = []string{"bench", "pub", subject, "--size=" + valueBytes}
		}
		n := l.operations()

		f, err := peer(func(out []byte) (figures, error) { return parseNatsBench(out, n) },
			natsCLI, tool(append(args, "--clients="+strconv.Itoa(l.clients), "--msgs="+strconv.Itoa(n), "--no-progress")...)...)
		if kind == "publish" { // it reports the time to put a message into a buffer
			f.P50, f.P99 = 0, 0
		}

		return f, err
	}
}

func answers(request []string) (err error) {
	for range 20 {
		if _, _, err = output(command(natsCLI, request...)); err == nil {
			return nil
		}
	}

	return fmt.Errorf("its service does not answer: %w", err)
}

var (
	natsTogether  = regexp.MustCompile(`aggregated stats: ([\d,]+) msgs/sec`)
	natsLatencies = regexp.MustCompile(`latencies per operation .*P50 ([\d,.]+)us .*\| P99 ([\d,.]+)us`)
	natsAlone     = regexp.MustCompile(`stats: ([\d,]+) msgs/sec(?:.* P50: ([\d,.]+)us.* P99: ([\d,.]+)us)?`)
)

// parseNatsBench parses the lines about all clients, or about the only one.
func parseNatsBench(out []byte, operations int) (figures, error) {
	var texts [][]byte
	if found := natsTogether.FindSubmatch(out); found != nil {
		texts = found[1:]
		if found = natsLatencies.FindSubmatch(out); found != nil {
			texts = append(texts, found[1:]...)
		}
	} else if found := natsAlone.FindSubmatch(out); found != nil {
		texts = found[1:]
	}
	f := figures{operations: float64(operations)}
	for i, to := range []*float64{&f.Rate, &f.P50, &f.P99} {
		if i >= len(texts) || len(texts[i]) == 0 {
			break
		}
		value, err := strconv.ParseFloat(strings.ReplaceAll(string(texts[i]), ",", ""), 64)
		if err != nil {
			return figures{}, err
		}
		*to = value
	}
	f.P50, f.P99 = f.P50/1e3, f.P99/1e3

	return f, nil
}

func fillPostgres() error {
	_, _, err := output(command(pgbench, "--initialize", "--scale=1", "--quiet", os.Getenv("POSTGRES_URL")))

	return err
}

const pgbenchInsert = `\set aid random(1, 100000)
insert into pgbench_history (tid, bid, aid, delta, mtime) values (1, 1, :aid, 7, current_timestamp);
`

// pgbenchRuns runs pgbench with prepared statements and one thread. It logs a tenth of the
// latencies.
func pgbenchRuns(form string) func(load) (figures, error) {
	return func(l load) (figures, error) {
		dir, err := os.MkdirTemp("", "pgbench")
		if err != nil {
			return figures{}, err
		}
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
		what := "--select-only"
		if form == "insert" {
			file := filepath.Join(dir, "insert.sql")
			if err := os.WriteFile(file, []byte(pgbenchInsert), 0o600); err != nil {
				return figures{}, err
			}
			what = "--file=" + file
		}
		args := []string{
			"--no-vacuum", what, "--protocol=prepared", "--client=" + strconv.Itoa(l.clients), "--jobs=1", fmt.Sprintf("--time=%.0f", l.seconds),
			"--log", "--log-prefix=" + filepath.Join(dir, "log"), "--sampling-rate=0.1",
		}
		if l.open {
			args = append(args, fmt.Sprintf("--rate=%.0f", l.rate))
		}

		return peer(func(out []byte) (figures, error) { return parsePgbench(out, dir) }, pgbench, append(args, os.Getenv("POSTGRES_URL"))...)
	}
}

var (
	pgbenchRate   = regexp.MustCompile(`tps = ([\d.]+) \(without initial connection time\)`)
	pgbenchCount  = regexp.MustCompile(`number of transactions actually processed: (\d+)`)
	pgbenchFailed = regexp.MustCompile(`number of failed transactions: [1-9]`)
)

// parsePgbench parses the output and the logs. The third word of a log line is a latency in
// microseconds. With a fixed rate, pgbench measures it from the time when the transaction was due.
func parsePgbench(out []byte, dir string) (figures, error) {
	rate, count := pgbenchRate.FindSubmatch(out), pgbenchCount.FindSubmatch(out)
	if rate == nil || count == nil || pgbenchFailed.Match(out) {
		return figures{}, errNoFigures
	}
	var f figures
	var err error
	if f.Rate, err = strconv.ParseFloat(string(rate[1]), 64); err != nil {
		return f, err
	}
	if f.operations, err = strconv.ParseFloat(string(count[1]), 64); err != nil {
		return f, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "log.*"))
	if err != nil {
		return f, err
	}
	var latencies []float64
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return f, err
		}
		for line := range strings.Lines(string(raw)) {
			words := strings.Fields(line)
			if len(words) < 3 {
				return f, fmt.Errorf("%s: no latency in %q", file, line)
			}
			micros, err := strconv.ParseFloat(words[2], 64)
			if err != nil {
				return f, fmt.Errorf("%s: %w", file, err)
			}
			latencies = append(latencies, micros/1e3)
		}
	}
	f.P50, f.P99 = percentiles(latencies)

	return f, nil
}

func percentiles(values []float64) (p50, p99 float64) {
	if len(values) == 0 {
		return 0, 0
	}
	slices.Sort(values)

	return values[(len(values)-1)/2], values[(99*len(values)+99)/100-1]
}

const (
	gatewayProto  = "scenarios/lib/mxaccess_gateway.proto"
	gatewayMethod = "mxaccess_gateway.v1.MxAccessGateway/Invoke"
)

func ghzReads(l load) (figures, error) {
	requests, err := openSessions(l.clients)
	if err != nil {
		return figures{}, err
	}
	metadata, err := keyFile()
	if err != nil {
		return figures{}, err
	}
	defer os.Remove(metadata) //nolint:errcheck // a temporary file
	n := strconv.Itoa(l.clients)
	args := []string{
		"--insecure", "--proto=" + gatewayProto, "--call=" + gatewayMethod, "--data=" + requests, "--metadata-file=" + metadata,
		"--concurrency=" + n, "--connections=" + n, "--duration=" + seconds(l.seconds), "--duration-stop=wait", "--format=json",
	}
	if l.open {
		args = append(args, fmt.Sprintf("--rps=%.0f", l.rate))
	}

	return peer(parseGhz, ghz, append(args, os.Getenv("MXGW_URL"))...)
}

func parseGhz(out []byte) (figures, error) {
	var printed struct {
		Count        float64            `json:"count"`
		Rate         float64            `json:"rps"`
		Errors       map[string]float64 `json:"errorDistribution"`
		Distribution []struct {
			Percentage int           `json:"percentage"`
			Latency    time.Duration `json:"latency"`
		} `json:"latencyDistribution"`
	}
	if err := json.Unmarshal(out, &printed); err != nil {
		return figures{}, err
	}
	if len(printed.Errors) > 0 {
		return figures{}, fmt.Errorf("calls have failed: %v", printed.Errors)
	}
	f := figures{Rate: printed.Rate, operations: printed.Count}
	for _, d := range printed.Distribution {
		switch d.Percentage {
		case 50:
			f.P50 = d.Latency.Seconds() * 1e3
		case 99:
			f.P99 = d.Latency.Seconds() * 1e3
		}
	}

	return f, nil
}

func keyFile() (string, error) {
	metadata, err := json.Marshal(map[string]string{"authorization": "Bearer " + os.Getenv("MXGW_KEY")})
	if err != nil {
		return "", err
	}
	file, err := os.CreateTemp("", "ghz-*.json")
	if err != nil {
		return "", err
	}
	_, err = file.Write(metadata)

	return file.Name(), errors.Join(err, file.Close())
}

func openSessions(n int) (string, error) {
	out, _, err := output(command(k6, "run", "--quiet", "--no-color", "-e", "SESSIONS="+strconv.Itoa(n), "scripts/bench/readbulk-sessions.js"))
	if err != nil {
		return "", fmt.Errorf("opening sessions: %w", err)
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	var opened struct {
		Backend  string   `json:"backend"`
		Tags     []string `json:"tags"`
		Sessions []struct {
			ID     string `json:"sessionId"`
			Handle int    `json:"serverHandle"`
		} `json:"sessions"`
	}
	if err := json.Unmarshal(lines[len(lines)-1], &opened); err != nil {
		return "", fmt.Errorf("opening sessions: %w", err)
	}
	if !strings.Contains(opened.Backend, "shape none") {
		return "", fmt.Errorf("start the gateway with MXGW_FLAGS=-shape=none, so that it answers at once: this is %q", opened.Backend)
	}
	requests := make([]map[string]any, 0, len(opened.Sessions))
	for _, s := range opened.Sessions {
		requests = append(requests, map[string]any{"session_id": s.ID, "command": map[string]any{
			"kind":      "MX_COMMAND_KIND_READ_BULK",
			"read_bulk": map[string]any{"server_handle": s.Handle, "tag_addresses": opened.Tags},
		}})
	}
	raw, err := json.Marshal(requests)

	return string(raw), err
}
