package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	ycsbClients  = 16
	ycsbRecords  = 10_000
	ycsbDuration = "3s"
)

// ycsbRow is a line of the table of YCSB workloads. Unknown figures are 0.
type ycsbRow struct {
	store, client, workload, op string
	rate, p50, p99              float64 // p50 and p99 in ms, of op
	cpu, server                 float64 // us an operation
	ops, failed                 float64
}

func (r *ycsbRow) String() string {
	server := "-"
	if r.server > 0 {
		server = fmt.Sprintf("%.1f", r.server)
	}

	return fmt.Sprintf("| %s | %s | %s | %.0f | %s | %.3f | %.3f | %.1f | %s | %.0f |\n",
		r.store, r.client, r.workload, r.rate, r.op, r.p50, r.p99, r.cpu, server, r.failed)
}

// putYCSB runs YCSB workloads on all stores whose addresses are in the environment, and puts a
// table of them into their page. With -go-ycsb, that program does the same work on Redis,
// PostgreSQL and SQLite.
func putYCSB(args []string) (err error) {
	flags := flag.NewFlagSet("bench ycsb", flag.ContinueOnError)
	other := flags.String("go-ycsb", "", "the program go-ycsb; empty: without it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "ycsb")
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, os.RemoveAll(folder)) }()
	if err := os.Setenv("SQLITE_URL", filepath.Join(folder, "ycsb.db")+"?_pragma=journal_mode(wal)"); err != nil {
		return err
	}
	text := "| store | client | workload | ops/s | of | p50 ms | p99 ms | CPU us/op | server CPU us/op | failed |\n" +
		"|---|---|---|--:|---|--:|--:|--:|--:|--:|\n"
	for _, store := range []struct{ name, workloads string }{ // caches and nats have no scans, rows of Machbase no updates
		{"redis", "ace"}, {"memcached", "ac"}, {"umem", "ac"}, {"nats", "ac"}, {"postgres", "ace"}, {"sqlite", "ace"}, {"machbase", "c"},
	} {
		if os.Getenv(strings.ToUpper(store.name)+"_URL") == "" {
			continue
		}
		for _, workload := range strings.Split(store.workloads, "") {
			row, err := ycsbOfK6(folder, store.name, workload)
			if err != nil {
				return fmt.Errorf("%s, workload %s: %w", store.name, workload, err)
			}
			text += row.String()
			if properties := goYCSBProperties(folder, store.name, workload); *other != "" && properties != nil {
				if row, err = goYCSB(*other, store.name, workload, properties, row.ops); err != nil {
					return fmt.Errorf("go-ycsb, %s, workload %s: %w", store.name, workload, err)
				}
				text += row.String()
			}
		}
	}
	fmt.Print(text)

	return putPart("scenarios/README.md", "ycsb", text+"\n"+caption("make ycsb", time.Now().UTC(), machine()))
}

func ycsbOfK6(folder, store, workload string) (*ycsbRow, error) {
	cmd := exec.Command(k6, "run", "--quiet", "-e", "STORE="+store, "-e", "WORKLOAD="+workload,
		"-e", "CLIENTS="+strconv.Itoa(ycsbClients), "-e", "RECORD_COUNT="+strconv.Itoa(ycsbRecords), "-e", "DURATION="+ycsbDuration,
		"-e", "WARMUP=1s", "-e", "QUIET=2s", "-e", "RESULTS="+folder, "scenarios/ycsb.js")
	if _, _, err := output(cmd); err != nil {
		return nil, err
	}
	report, err := readReport(filepath.Join(folder, "ycsb-"+store+"-"+workload+".json"))
	if err != nil {
		return nil, err
	}
	r := &ycsbRow{store: store, client: "k6", workload: workload}
	for i := range report.Steps {
		s := &report.Steps[i]
		r.ops += float64(s.Operations)
		r.rate += s.OpsPerSecond
		r.failed += float64(s.Failed)
		if s.Op == "READ" || s.Op == "SCAN" {
			r.op, r.p50, r.p99 = s.Op, s.Latency.P50, s.Latency.P99
		}
	}
	if r.op == "" {
		return nil, errors.New("nothing was read")
	}
	r.cpu, r.server = processorTimes(&report.Steps[len(report.Steps)-1], r.ops) // each step has those of all operations

	return r, nil
}

// goYCSBProperties returns the properties with which go-ycsb does a workload on a store; nil if it
// is not compared there. go-ycsb does not know the letters of workloads.
func goYCSBProperties(folder, store, workload string) []string {
	work := strings.Fields(map[string]string{
		"a": "readproportion=0.5 updateproportion=0.5 requestdistribution=zipfian",
		"c": "readproportion=1 updateproportion=0 requestdistribution=zipfian",
		"e": "readproportion=0 updateproportion=0 scanproportion=0.95 insertproportion=0.05 requestdistribution=zipfian maxscanlength=100",
	}[workload])
	u, err := url.Parse(os.Getenv(strings.ToUpper(store) + "_URL"))
	switch {
	case err == nil && store == "redis" && workload != "e":
		return append(work, "redis.addr="+u.Host, "redis.datatype=hash")
	case err == nil && store == "postgres":
		password, _ := u.User.Password()

		return append(work, "pg.host="+u.Hostname(), "pg.port="+cmp.Or(u.Port(), "5432"), "pg.user="+u.User.Username(), "pg.password="+password,
			"pg.db="+strings.Trim(u.Path, "/"), "dropdata=true")
	case store == "sqlite":
		return append(work, "sqlite.db="+filepath.Join(folder, "go-ycsb.db"), "sqlite.journalmode=WAL", "dropdata=true")
	default:
		return nil
	}
}

var goYCSBLine = regexp.MustCompile(`(?m)^(\w+) +- Takes\(s\): [\d.]+, Count: (\d+), OPS: ([\d.]+), .*50th\(us\): (\d+), .*99th\(us\): (\d+),`)

// The processor time of go-ycsb includes connecting.
func goYCSB(program, store, workload string, properties []string, ops float64) (*ycsbRow, error) {
	name := map[string]string{"postgres": "pg", "sqlite": "sqlite", "redis": "redis"}[store]
	run := func(phase string, more ...string) ([]byte, time.Duration, error) {
		args := []string{phase, name}
		for _, property := range slices.Concat(properties, more,
			[]string{"workload=core", "recordcount=" + strconv.Itoa(ycsbRecords), "threadcount=" + strconv.Itoa(ycsbClients)}) {
			args = append(args, "-p", property)
		}

		return output(exec.Command(program, args...))
	}
	if _, _, err := run("load", "insertcount="+strconv.Itoa(ycsbRecords)); err != nil {
		return nil, err
	}
	out, used, err := run("run", "dropdata=false", fmt.Sprintf("operationcount=%.0f", ops))
	if err != nil {
		return nil, err
	}
	text := string(out)
	text = text[max(strings.LastIndex(text, "Run finished"), 0):]
	r := &ycsbRow{store: store, client: "go-ycsb", workload: workload}
	for _, found := range goYCSBLine.FindAllStringSubmatch(text, -1) {
		var numbers [6]float64
		for i := range numbers {
			numbers[i], _ = strconv.ParseFloat(found[i], 64)
		}
		switch op := found[1]; {
		case op == "TOTAL":
			r.rate, r.cpu = numbers[3], micros(used, numbers[2])
		case op == "READ", op == "SCAN":
			r.op, r.p50, r.p99 = op, numbers[4]/1000, numbers[5]/1000
		case strings.HasSuffix(op, "_ERROR"):
			r.failed += numbers[2]
		}
	}
	if r.rate == 0 || r.op == "" {
		return nil, fmt.Errorf("it printed no figures:\n%s", out)
	}

	return r, nil
}
