// Command ycsb runs YCSB workloads on all stores whose addresses are in the environment, and prints
// a table of them. With -go-ycsb, that program does the same work on Redis, PostgreSQL and SQLite.
//
//	scripts/servers.sh with redis memcached nats postgres machbase -- go run -C scripts ./ycsb
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

func main() {
	var c comparison
	workloads := flag.String("workloads", "a,c,e", "the workloads, with commas between them")
	flag.StringVar(&c.root, "root", "..", "the checkout")
	flag.StringVar(&c.other, "go-ycsb", "", "the program go-ycsb; empty: without it")
	flag.IntVar(&c.clients, "clients", 16, "clients")
	flag.IntVar(&c.records, "records", 10_000, "records")
	flag.DurationVar(&c.duration, "duration", 3*time.Second, "how long each workload runs")
	flag.Parse()
	if err := c.run(strings.Split(*workloads, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "ycsb:", err)
		os.Exit(1)
	}
}

type comparison struct {
	root, other, folder string
	clients, records    int
	duration            time.Duration
}

// row is a line of the table. Figures that are unknown are 0.
type row struct {
	store, client, workload, op string
	rate, p50, p99              float64 // p50 and p99 in ms, of op
	cpu, server                 float64 // us an operation
	ops, failed                 uint64
}

// stores are the stores, in the order of the table, and the workloads that they refuse.
var stores = []struct{ name, setting, without string }{ //nolint:gochecknoglobals // a table
	{"redis", "REDIS_URL", ""},
	{"memcached", "MEMCACHED_URL", "e"},
	{"umem", "UMEM_URL", "e"},
	{"nats", "NATS_URL", "e"},
	{"postgres", "POSTGRES_URL", ""},
	{"sqlite", "SQLITE_URL", ""},
	{"machbase", "MACHBASE_URL", "abef"},
}

func (c *comparison) run(workloads []string) (err error) {
	if c.folder, err = os.MkdirTemp("", "ycsb"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(c.folder) }()
	if err := os.Setenv("SQLITE_URL", filepath.Join(c.folder, "ycsb.db")+"?_pragma=journal_mode(wal)"); err != nil {
		return err
	}
	fmt.Println("| store | client | workload | ops/s | of | p50 ms | p99 ms | CPU us/op | server CPU us/op | failed |")
	fmt.Println("|---|---|---|--:|---|--:|--:|--:|--:|--:|")
	for _, store := range stores {
		if os.Getenv(store.setting) == "" {
			continue
		}
		for _, workload := range workloads {
			if strings.Contains(store.without, workload) {
				continue
			}
			r, err := c.k6(store.name, workload)
			if err != nil {
				return fmt.Errorf("%s, workload %s: %w", store.name, workload, err)
			}
			fmt.Println(r)
			if properties := c.properties(store.name); c.other != "" && properties != nil && (store.name != "redis" || workload != "e") {
				if r, err = c.goYCSB(store.name, workload, properties, r.ops); err != nil {
					return fmt.Errorf("go-ycsb, %s, workload %s: %w", store.name, workload, err)
				}
				fmt.Println(r)
			}
		}
	}

	return nil
}

func (r *row) String() string {
	server := "-"
	if r.server > 0 {
		server = fmt.Sprintf("%.1f", r.server)
	}

	return fmt.Sprintf("| %s | %s | %s | %.0f | %s | %.3f | %.3f | %.1f | %s | %d |",
		r.store, r.client, r.workload, r.rate, r.op, r.p50, r.p99, r.cpu, server, r.failed)
}

type report struct {
	Steps []struct {
		Op           string
		Ops, Failed  uint64
		OpsPerSecond float64
		LatencyMs    struct{ P50, P99 float64 }
		CPUSeconds   struct{ K6, Server float64 }
	}
}

func (c *comparison) k6(store, workload string) (*row, error) {
	cmd := exec.Command(filepath.Join(c.root, "bin/k6"), "run", "--quiet", "-e", "STORE="+store, "-e", "WORKLOAD="+workload,
		"-e", fmt.Sprintf("CLIENTS=%d", c.clients), "-e", fmt.Sprintf("RECORD_COUNT=%d", c.records), "-e", "DURATION="+c.duration.String(),
		"-e", "WARMUP=1s", "-e", "QUIET=2s", "-e", "RESULTS="+c.folder, filepath.Join(c.root, "scenarios/ycsb.js"))
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	raw, err := os.ReadFile(filepath.Join(c.folder, "ycsb-"+store+"-"+workload+".json"))
	if err != nil {
		return nil, err
	}
	var rep report
	if err := json.Unmarshal(raw, &rep); err != nil {
		return nil, err
	}
	r := &row{store: store, client: "k6", workload: workload}
	for i := range rep.Steps {
		s := &rep.Steps[i]
		r.ops += s.Ops
		r.rate += s.OpsPerSecond
		r.failed += s.Failed
		r.cpu, r.server = s.CPUSeconds.K6, s.CPUSeconds.Server // these cover all operations of the step
		if s.Op == "READ" || s.Op == "SCAN" {
			r.op, r.p50, r.p99 = s.Op, s.LatencyMs.P50, s.LatencyMs.P99
		}
	}
	if r.op == "" {
		return nil, errors.New("nothing was read")
	}
	r.cpu, r.server = r.cpu*1e6/float64(r.ops), r.server*1e6/float64(r.ops)

	return r, nil
}

// properties returns the properties with which go-ycsb reaches a store. It returns nil if go-ycsb
// is not compared on that store.
func (c *comparison) properties(store string) []string {
	switch store {
	case "redis":
		u, err := url.Parse(os.Getenv("REDIS_URL"))
		if err != nil {
			return nil
		}

		return []string{"redis.addr=" + u.Host, "redis.datatype=hash"}
	case "postgres":
		u, err := url.Parse(os.Getenv("POSTGRES_URL"))
		if err != nil {
			return nil
		}
		password, _ := u.User.Password()

		return []string{
			"pg.host=" + u.Hostname(), "pg.port=" + cmp.Or(u.Port(), "5432"), "pg.user=" + u.User.Username(), "pg.password=" + password,
			"pg.db=" + strings.Trim(u.Path, "/"), "dropdata=true",
		}
	case "sqlite":
		return []string{"sqlite.db=" + filepath.Join(c.folder, "go-ycsb.db"), "sqlite.journalmode=WAL", "dropdata=true"}
	default:
		return nil
	}
}

// mixes are the properties of the workloads, because go-ycsb does not know their letters.
var mixes = map[string]string{ //nolint:gochecknoglobals // a table
	"a": "readproportion=0.5 updateproportion=0.5 requestdistribution=zipfian",
	"b": "readproportion=0.95 updateproportion=0.05 requestdistribution=zipfian",
	"c": "readproportion=1 updateproportion=0 requestdistribution=zipfian",
	"d": "readproportion=0.95 updateproportion=0 insertproportion=0.05 requestdistribution=latest",
	"e": "readproportion=0 updateproportion=0 scanproportion=0.95 insertproportion=0.05 requestdistribution=zipfian maxscanlength=100",
	"f": "readproportion=0.5 updateproportion=0 readmodifywriteproportion=0.5 requestdistribution=zipfian",
}

// atMost is how long go-ycsb may take to load a store and run a workload.
const atMost = time.Minute

var line = regexp.MustCompile(`(?m)^(\w+) +- Takes\(s\): [\d.]+, Count: (\d+), OPS: ([\d.]+), .*50th\(us\): (\d+), .*99th\(us\): (\d+),`)

// The processor time of go-ycsb includes connecting.
func (c *comparison) goYCSB(store, workload string, properties []string, ops uint64) (*row, error) {
	ctx, cancel := context.WithTimeout(context.Background(), atMost)
	defer cancel()
	name := map[string]string{"postgres": "pg", "sqlite": "sqlite", "redis": "redis"}[store]
	args := func(command string, more ...string) []string {
		all := []string{command, name}
		for _, property := range append(append(strings.Fields(mixes[workload]), properties...), more...) {
			all = append(all, "-p", property)
		}

		return append(all, "-p", "workload=core", "-p", fmt.Sprintf("recordcount=%d", c.records), "-p", fmt.Sprintf("threadcount=%d", c.clients))
	}
	if out, err := exec.CommandContext(ctx, c.other, args("load", "insertcount="+strconv.Itoa(c.records))...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	cmd := exec.CommandContext(ctx, c.other, args("run", "dropdata=false", fmt.Sprintf("operationcount=%d", ops))...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	text := string(out)
	if at := strings.LastIndex(text, "Run finished"); at >= 0 {
		text = text[at:]
	}
	r := &row{store: store, client: "go-ycsb", workload: workload}
	number := func(text string) float64 {
		n, _ := strconv.ParseFloat(text, 64)

		return n
	}
	for _, found := range line.FindAllStringSubmatch(text, -1) {
		switch op := found[1]; {
		case op == "TOTAL":
			used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			r.rate, r.cpu = number(found[3]), float64(used.Microseconds())/number(found[2])
		case op == "READ", op == "SCAN":
			r.op, r.p50, r.p99 = op, number(found[4])/1000, number(found[5])/1000
		case strings.HasSuffix(op, "_ERROR"):
			r.failed += uint64(number(found[2]))
		}
	}
	if r.rate == 0 || r.op == "" {
		return nil, fmt.Errorf("it printed no figures:\n%s", out)
	}

	return r, nil
}
