package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

// mostOfGhz is how many times ghz's processor time a call through k6/x/mxgateway may cost.
const mostOfGhz = 1.2

// ghz is a widely used benchmark of gRPC services, in Go; scripts/tools/ghz pins it.
const ghz = "bin/ghz"

const (
	gatewayProto  = "scenarios/lib/mxaccess_gateway.proto"
	gatewayMethod = "mxaccess_gateway.v1.MxAccessGateway/Invoke"
)

// reads are the medians of ReadBulk calls for one number of connections, each with one call under
// way.
type reads struct {
	connections, rounds      int
	ghz                      figures
	module, shared           figures // k6/x/mxgateway: a connection for each client, and one for all
	plain, discarding, async figures // k6/net/grpc
}

// readBulk is what ReadBulk calls come to.
type readBulk struct {
	reads []*reads
}

func measureReadBulk(e *effort) (result, error) {
	b := &readBulk{}
	for _, connections := range []int{1, 8, 64} {
		if err := b.add(e, connections, e.share(connections, gatewaySolo, gatewayCrowd)); err != nil {
			return nil, err
		}
	}

	return b, nil
}

// How many calls a second one client does, roughly, and how many times as many do many.
const gatewaySolo, gatewayCrowd = 2500, 4

func (b *readBulk) add(e *effort, connections, perClient int) error {
	requests := sync.OnceValues(func() (string, error) { return openSessions(connections) })
	medians, n, err := inTurns(e, strconv.Itoa(connections), connections,
		func() (figures, error) {
			opened, err := requests()
			if err != nil {
				return figures{}, err
			}

			return ghzReads(connections, perClient*connections, opened)()
		},
		k6Reads("vu", connections, perClient),
		k6Reads("shared", connections, perClient),
		grpcReads("plain", connections, perClient),
		grpcReads("discard", connections, perClient),
		grpcReads("async", connections, perClient),
	)
	if err != nil || n == 0 {
		return err
	}
	b.reads = append(b.reads, &reads{
		connections: connections, rounds: n, ghz: medians[0], module: medians[1], shared: medians[2],
		plain: medians[3], discarding: medians[4], async: medians[5],
	})

	return nil
}

// k6Reads is a run of the scenario, over k6/x/mxgateway.
func k6Reads(connection string, clients, perClient int) func() (figures, error) {
	return func() (figures, error) {
		return stepFigures("scenarios/read-bulk.js", "read-bulk", map[string]string{
			"CONNECTION": connection, "CLIENTS": strconv.Itoa(clients), "ITERATIONS": strconv.Itoa(perClient), "WARMUP": warmup,
		})
	}
}

// grpcReads is a run of the bare calls, over k6/net/grpc.
func grpcReads(variant string, clients, perClient int) func() (figures, error) {
	return func() (figures, error) {
		return stepFigures("scripts/bench/readbulk.js", "readbulk", map[string]string{
			"VARIANT": variant, "CLIENTS": strconv.Itoa(clients), "ITERATIONS": strconv.Itoa(perClient), "WARMUP": warmup,
		})
	}
}

// openSessions opens sessions that stay open, and returns a ReadBulk of each, as ghz takes them.
func openSessions(n int) (string, error) {
	cmd := exec.Command(k6, "run", "--quiet", "--no-color", "-e", "SESSIONS="+strconv.Itoa(n), "scripts/bench/readbulk-sessions.js")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("opening sessions: %w\n%s", err, stderr.Bytes())
	}

	return requestsOf(out)
}

// requestsOf makes the requests of what the sessions' script has printed.
func requestsOf(out []byte) (string, error) {
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
		return "", fmt.Errorf("the gateway has to answer at once: start it with MXGW_FLAGS=-shape=none; this is %q", opened.Backend)
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

// ghzReads is runs of ghz, with as many workers as connections. Its first calls are its warm-up, as
// that of k6: they count nowhere. What ghz needs to begin and for them, as a run of them alone
// shows it, is no call's. What it needs to write its calls down is none's either: the rate and p99
// are those of a run that does, and the processor time is that of one that does not.
func ghzReads(connections, calls int, requests string) func() (figures, error) {
	return func() (figures, error) {
		warm := connections + calls/ghzWarmup
		_, begin, err := runGhz(connections, warm, requests, "summary")
		if err != nil {
			return figures{}, err
		}
		_, spent, err := runGhz(connections, warm+calls, requests, "summary")
		if err != nil {
			return figures{}, err
		}
		out, _, err := runGhz(connections, warm+calls, requests, "json")
		if err != nil {
			return figures{}, err
		}
		f, err := parseGhz(out, warm, calls)
		if err != nil {
			return figures{}, fmt.Errorf("%s: %w", ghz, err)
		}
		f.CPUMicros = float64((spent - begin).Microseconds()) / float64(calls)

		return f, nil
	}
}

// ghzWarmup is that its warm-up has one call for so many that are measured.
const ghzWarmup = 4

// runGhz runs ghz, and returns what it printed and what the process has spent.
func runGhz(connections, calls int, requests, format string) (out []byte, spent time.Duration, err error) {
	metadata, err := keyFile()
	if err != nil {
		return nil, 0, err
	}
	defer os.Remove(metadata) //nolint:errcheck // a temporary file

	cmd := exec.Command(ghz, "--insecure", "--proto="+gatewayProto, "--call="+gatewayMethod, "--data="+requests,
		"--metadata-file="+metadata, "--concurrency="+strconv.Itoa(connections), "--connections="+strconv.Itoa(connections),
		"--total="+strconv.Itoa(calls), "--format="+format, os.Getenv("MXGW_URL"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if out, err = cmd.Output(); err != nil {
		return nil, 0, fmt.Errorf("%s: %w\n%s%s", ghz, err, out, stderr.Bytes())
	}

	return out, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// keyFile writes the calls' metadata to a file of this user's: the key is not for a command line.
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

// parseGhz reads what ghz says of each call, and leaves out those of the warm-up, which ended
// first.
func parseGhz(out []byte, warm, calls int) (figures, error) {
	var printed struct {
		Details []struct {
			Ended   time.Time     `json:"timestamp"`
			Latency time.Duration `json:"latency"`
			Error   string        `json:"error"`
		} `json:"details"`
	}
	if err := json.Unmarshal(out, &printed); err != nil {
		return figures{}, err
	}
	all := printed.Details
	if len(all) != warm+calls || warm < 1 {
		return figures{}, fmt.Errorf("it tells of %d calls, not of %d", len(all), warm+calls)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Ended.Before(all[j].Ended) })
	began, took := all[warm-1].Ended, make([]time.Duration, 0, calls)
	var f figures
	for _, call := range all[warm:] {
		if call.Error != "" {
			f.Failed++
		}
		took = append(took, call.Latency)
	}
	seconds := all[len(all)-1].Ended.Sub(began).Seconds()
	if seconds <= 0 {
		return figures{}, errors.New("its calls took no time")
	}
	slices.Sort(took)
	f.OpsPerSecond = float64(calls-f.Failed) / seconds
	f.P99Ms = float64(took[(len(took)*99+99)/100-1]) / float64(time.Millisecond)

	return f, nil
}

func (r *reads) ofGhz(f figures) bounded { return bounded{f.over(r.ghz, processor), atMost(mostOfGhz)} }

func (b *readBulk) judgements() (all []judgement) {
	for _, r := range b.reads {
		all = append(all, r.ofGhz(r.module).judged(fmt.Sprintf("ReadBulk, %d, beside ghz", r.connections), "us"))
	}

	return all
}

// lines are those of the table.
func (r *reads) lines() []string {
	line := func(program string, f figures, times fmt.Stringer) string {
		return fmt.Sprintf("| %11d | %2d | %-40s | %7.0f | %6.3f | %7.2f | %s |",
			r.connections, r.rounds, program, f.OpsPerSecond, f.P99Ms, f.CPUMicros, times)
	}

	return []string{
		line("ghz", r.ghz, r.ofGhz(r.ghz).ratio),
		line("k6/x/mxgateway", r.module, r.ofGhz(r.module)),
		line("k6/x/mxgateway, one connection for all", r.shared, r.ofGhz(r.shared).ratio),
		line("k6/net/grpc", r.plain, r.ofGhz(r.plain).ratio),
		line("k6/net/grpc, discardResponseMessage", r.discarding, r.ofGhz(r.discarding).ratio),
		line("k6/net/grpc, asyncInvoke", r.async, r.ofGhz(r.async).ratio),
	}
}

// String is the table.
func (b *readBulk) String() string {
	lines := []string{
		"ReadBulk of 6 tags\n",
		"| connections |  n | client                                   | calls/s | p99 ms | us/call | times ghz's us     |",
		"|------------:|---:|------------------------------------------|--------:|-------:|--------:|--------------------|",
	}
	for _, r := range b.reads {
		lines = append(lines, r.lines()...)
	}

	return strings.Join(lines, "\n")
}
