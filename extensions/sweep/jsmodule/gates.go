package jsmodule

import (
	"fmt"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
)

// gates is sweep.gates(path), declared in index.d.ts.
func (m *module) gates(call sobek.FunctionCall) sobek.Value {
	rt := m.vu.Runtime()
	path, ok := k6x.TextOf(call.Argument(0))
	if !ok || path == "" {
		k6x.ThrowType(rt, "sweep.gates(path) takes the path of a file of gates")
	}
	if m.vu.InitEnv() == nil {
		k6x.ThrowType(rt, "sweep.gates belongs into the init context, where options are")
	}
	if _, err := m.loadGates(path); err != nil {
		throw(rt, err)
	}

	return sobek.Undefined()
}

// loadGates reads a gate file. Each VU asks for the same one; only the first reads it.
func (m *module) loadGates(path string) (*gate.File, error) {
	env := m.vu.InitEnv()
	absolute := env.GetAbsFilePath(path)
	if file := m.results.GatesOf(absolute); file != nil {
		return file, nil
	}

	raw, err := k6x.ReadFile(m.vu, absolute)
	if err != nil {
		return nil, fmt.Errorf("gates: %w", err)
	}
	file, err := gate.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("gates %s: %w", path, err)
	}
	read := func(path string) ([]byte, error) { return k6x.ReadFile(m.vu, path) }
	if err := file.LoadBaseline(absolute, read); err != nil {
		return nil, fmt.Errorf("gates %s: %w", path, err)
	}
	if missing := file.NoBaseline(); missing != "" {
		m.test.Logger.Warnf("gates %s: %s", path, missing)
	}
	m.results.AddGates(absolute, file)
	if m.test.RuntimeOptions.NoThresholds.Bool {
		m.test.Logger.Warnf("--no-thresholds is about k6's own thresholds: the gates of %s still count", path)
	}

	return file, nil
}
