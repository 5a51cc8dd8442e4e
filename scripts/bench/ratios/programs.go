package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// k6 is what is measured, and k6Drivers the same with Machbase's own clients, of which one is C; it
// is there after `make build-drivers`.
const k6, k6Drivers = "bin/k6", "bin/k6-drivers"

// warmup is how long k6 and our own programs work before the start line. Those of peers have no
// warm-up.
const warmup = "300ms"

// nativeRun is a run of the reference program, over this client library.
func nativeRun(driver string, clients, perClient int, reuse bool, more ...string) func() (figures, error) {
	flags := append([]string{
		"-clients=" + strconv.Itoa(clients), "-ops=" + strconv.Itoa(perClient), "-reuse=" + strconv.FormatBool(reuse),
	}, more...)

	return func() (figures, error) { return runNative(driver, flags...) }
}

// within runs a program with a variable in its environment.
func within(name, value string, run func() (figures, error)) func() (figures, error) {
	return func() (figures, error) {
		if err := os.Setenv(name, value); err != nil {
			return figures{}, err
		}
		defer os.Unsetenv(name) //nolint:errcheck // it is there

		return run()
	}
}

// runNative runs the reference program of Machbase.
func runNative(driver string, flags ...string) (figures, error) {
	return runProgram("native", append([]string{"-driver", driver}, flags...)...)
}

// runProgram runs one of the reference programs.
func runProgram(name string, flags ...string) (figures, error) {
	out, used, err := output(command("bin/"+name, append([]string{"-json", "-warmup", warmup}, flags...)...))
	if err != nil {
		return figures{}, fmt.Errorf("%s: %w", name, err)
	}
	f, err := parseProgram(out)
	if err != nil {
		return figures{}, fmt.Errorf("%s: %w", name, err)
	}
	f.MemoryMB = used.memoryMB

	return f, nil
}

// parseProgram reads what a reference program prints.
func parseProgram(out []byte) (figures, error) {
	var printed struct {
		figures
		Operations int `json:"ops"`
		Rows       int `json:"rows"`
	}
	if err := json.Unmarshal(out, &printed); err != nil {
		return figures{}, err
	}
	f := printed.figures
	if seconds := f.CPUMicros * float64(printed.Operations) / 1e6; seconds > 0 {
		f.RowsPerCPU = float64(printed.Rows) / seconds
	}

	return f, nil
}

// runK6 runs the scenario with one step, over k6's default driver, which is the native one. inGo:
// client.run does the operations.
func runK6(clients, perClient int, reuse, inGo bool) (figures, error) {
	return stepFigures("scenarios/stock-rollup.js", "stock-rollup", rollupSettings("native", clients, perClient, reuse, inGo))
}

// rollupSettings are those of the scenario with one step, over a driver.
func rollupSettings(driver string, clients, perClient int, reuse, inGo bool) map[string]string {
	return map[string]string{
		"CLIENTS": strconv.Itoa(clients), "ITERATIONS": strconv.Itoa(perClient), "WARMUP": warmup, "REUSE": strconv.FormatBool(reuse),
		"DRIVER": driver, "IN_GO": strconv.FormatBool(inGo),
	}
}

// stepFigures runs a script as runScript does and returns the figures of its step.
func stepFigures(script, scenario string, settings map[string]string) (figures, error) {
	return stepFiguresBy(k6, script, scenario, settings)
}

// stepFiguresBy are those of another build of k6.
func stepFiguresBy(binary, script, scenario string, settings map[string]string) (figures, error) {
	s, memory, err := runScriptBy(binary, script, scenario, settings)
	if err != nil {
		return figures{}, err
	}
	if s.Operations == 0 {
		return figures{}, fmt.Errorf("k6 %s: no operation was done", script)
	}

	f := figures{
		OpsPerSecond: s.OpsPerSecond,
		CPUMicros:    s.CPU.K6 / float64(s.Operations) * 1e6,
		ServerMicros: s.CPU.Server / float64(s.Operations) * 1e6,
		P50Ms:        s.Latency.P50,
		P99Ms:        s.Latency.P99,
		ClientWaitMs: s.Wait.Mean,
		Failed:       s.Failed,
		MemoryMB:     megabytes(memory),
		LockMicros:   s.Witness.Evidence.Locks * s.Seconds / float64(s.Operations) * 1e6,
	}
	if s.Client.Max > 0 {
		f.ClientSpread = s.Client.Min / s.Client.Max
	}

	return f, nil
}

// step is what is read of a report's step.
type step struct {
	Operations   int     `json:"ops"`
	Failed       int     `json:"failed"`
	OpsPerSecond float64 `json:"opsPerSecond"`
	Seconds      float64 `json:"seconds"`
	Latency      struct {
		P50 float64 `json:"p50"`
		P99 float64 `json:"p99"`
	} `json:"latencyMs"`
	Wait struct {
		Mean float64 `json:"mean"`
	} `json:"clientWaitMs"`
	Client struct {
		Min float64 `json:"min"`
		Max float64 `json:"max"`
	} `json:"client"`
	CPU struct {
		K6     float64 `json:"k6"`
		Server float64 `json:"server"`
	} `json:"cpuSeconds"`
	Witness struct {
		Evidence struct {
			Locks float64 `json:"locks"`
		} `json:"evidence"`
	} `json:"witness"`
}

// lost is how many of so many operations failed, or were not done.
func (s *step) lost(operations int) float64 {
	return float64(max(operations-s.Operations, s.Failed))
}

func megabytes(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// runScript runs k6 and returns the one step of the scenario's report and k6's largest resident
// memory in bytes.
func runScript(script, scenario string, settings map[string]string) (step, int64, error) {
	return runScriptBy(k6, script, scenario, settings)
}

func runScriptBy(binary, script, scenario string, settings map[string]string) (step, int64, error) {
	r, memory, err := readRun(binary, script, scenario, settings)
	if err != nil {
		return step{}, 0, err
	}
	if len(r.Steps) != 1 {
		return step{}, 0, fmt.Errorf("%s: the report has %d steps, not 1", script, len(r.Steps))
	}

	return r.Steps[0], memory, nil
}

// readRun runs a build of k6 and returns the scenario's report and k6's largest resident memory in
// bytes.
func readRun(binary, script, scenario string, settings map[string]string) (*report, int64, error) {
	results, err := os.MkdirTemp("", "ratios")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(results) //nolint:errcheck // a temporary folder

	// The programs beside it do not wait for a server at rest either.
	args := []string{"run", "--quiet", "--no-color", "-e", "QUIET=0s", "-e", "RESULTS=" + results}
	for name, value := range settings {
		args = append(args, "-e", name+"="+value)
	}
	_, used, err := output(command(binary, append(args, script)...))
	if err != nil {
		return nil, 0, fmt.Errorf("k6 %s: %w", script, err)
	}
	r, err := readReport(filepath.Join(results, scenario+".json"))

	return r, int64(used.memoryMB * (1 << 20)), err
}

// report is what is read of a report.
type report struct {
	Steps []step `json:"steps"`
}

func readReport(file string) (*report, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var r report
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}

	return &r, nil
}
