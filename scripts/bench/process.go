package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// All programs run on this processor. The servers have processor 0.
const generatorCore = "1"

func command(program string, args ...string) *exec.Cmd {
	return exec.Command("taskset", slices.Concat([]string{"--cpu-list", generatorCore, program}, args)...)
}

func output(cmd *exec.Cmd) ([]byte, time.Duration, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, 0, fmt.Errorf("%w\n%s%s", err, out, stderr.Bytes())
	}

	return out, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

func micros(d time.Duration, operations float64) float64 {
	return float64(d.Nanoseconds()) / 1e3 / operations
}

func watched(variable string, run func() (figures, error)) (figures, error) {
	target := host.FindServer("tcp://" + withoutScheme(os.Getenv(variable)))
	if target == nil {
		return run()
	}
	before, known := target.CPUTime()
	f, err := run()
	after, knownAfter := target.CPUTime()
	if known && knownAfter && f.operations > 0 {
		f.Server = micros(after-before, f.operations)
	}

	return f, err
}

const k6 = "bin/k6"

func script(file string, batch int, settings map[string]string) func(load) (figures, error) {
	return func(l load) (figures, error) {
		results, err := os.MkdirTemp("", "bench")
		if err != nil {
			return figures{}, err
		}
		defer os.RemoveAll(results) //nolint:errcheck // a temporary folder
		args := []string{
			"run", "--quiet", "--no-color", "-e", "RESULTS=" + results,
			"-e", "CLIENTS=" + strconv.Itoa(l.clients), "-e", "DURATION=" + seconds(l.seconds), "-e", "WARMUP=" + seconds(warmup),
		}
		if l.open {
			args = append(args, "-e", fmt.Sprintf("RATE=%.0f", l.rate))
		}
		binary := k6
		for name, value := range settings {
			if name == "BINARY" {
				binary = value

				continue
			}
			args = append(args, "-e", name+"="+value)
		}
		if _, _, err := output(command(binary, append(args, file)...)); err != nil {
			return figures{}, err
		}
		reports, err := filepath.Glob(filepath.Join(results, "*.json"))
		if err != nil || len(reports) != 1 {
			return figures{}, fmt.Errorf("%s must write one report: %v", file, reports)
		}
		f, err := readStep(reports[0])

		return f.each(batch), err
	}
}

func seconds(s float64) string { return strconv.Itoa(int(s*1000)) + "ms" }

func readReport(file string) (*report.Report, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := &report.Report{}
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}

	return r, nil
}

func readStep(file string) (figures, error) {
	r, err := readReport(file)
	if err != nil {
		return figures{}, err
	}
	if len(r.Steps) != 1 || r.Steps[0].Operations == 0 || r.Steps[0].Failed > 0 {
		return figures{}, fmt.Errorf("%s must have one step with operations, none of them failed: %+v", file, r.Steps)
	}
	s := &r.Steps[0]
	f := figures{Rate: s.OpsPerSecond, P50: s.Latency.P50, P99: s.Latency.P99}
	operations := float64(s.Operations)
	f.CPU = s.CPU.K6 * 1e6 / operations
	if s.CPU.Server != nil {
		f.Server = *s.CPU.Server * 1e6 / operations
	}

	return f, nil
}

func plain(work string, batch int) func(load) (figures, error) {
	return func(l load) (figures, error) {
		out, _, err := output(command("bin/bench", "plain", "-work="+work, "-clients="+strconv.Itoa(l.clients),
			"-warmup="+seconds(warmup), "-duration="+seconds(l.seconds)))
		if err != nil {
			return figures{}, err
		}
		var f figures
		err = json.Unmarshal(out, &f)

		return f.each(batch), err
	}
}

func place(variable string) (host, port string, err error) {
	address := withoutScheme(os.Getenv(variable))
	if host, port, err = net.SplitHostPort(address); err != nil {
		err = fmt.Errorf("%s must be an address with a port: %w", variable, err)
	}

	return host, port, err
}

func middle(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	at := len(values) / 2
	if len(values)%2 == 1 {
		return values[at]
	}

	return (values[at-1] + values[at]) / 2
}

var errNoFigures = errors.New("it printed no figures")

// significant digits of recorded figures.
const significant = 4

func (f figures) rounded() figures {
	of := func(v float64) float64 {
		if v == 0 {
			return 0
		}
		scale := math.Pow(10, significant-1-math.Floor(math.Log10(math.Abs(v))))

		return math.Round(v*scale) / scale
	}

	return figures{Rate: of(f.Rate), CPU: of(f.CPU), Server: of(f.Server), P50: of(f.P50), P99: of(f.P99)}
}
