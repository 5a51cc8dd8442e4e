package jsmodule

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// Settings that change options: -e NAME=value, or SWEEP_NAME in the environment. A script that
// reads one of these names itself overrides that.
const (
	setClients  = "CLIENTS"
	setRate     = "RATE"
	setFind     = "FIND"
	setGates    = "GATES"
	setGate     = "GATE"
	setResults  = "RESULTS"
	setPortable = "PORTABLE"
	setChange   = "CHANGE_NAME"
	setBase     = "BASE_NAME"

	usualClients  = 64    // clients for RATE if the script sets none
	usualMost     = 512   // maximum for FIND without max
	usualDuration = "10s" // step length for RATE or FIND if the script sets none
)

// Options of which a setting replaces all.
var (
	stepOptions   = []string{"clients", "rate", "find", "preAllocatedVUs"}       //nolint:gochecknoglobals // a constant
	lengthOptions = []string{"iterations", "duration", "precision", "untilDone"} //nolint:gochecknoglobals // a constant
)

// optionSettings maps each setting to one option. accept describes the value. Of the settings that
// replace the same options, only one may be given.
var optionSettings = map[string]struct { //nolint:gochecknoglobals // a table
	option   string
	read     func(string) (any, bool)
	accept   string
	replaces []string
}{
	setClients:     {"clients", numbers(true), "integers from 1, with commas between them, such as 1,8,64", stepOptions},
	setRate:        {"rate", numbers(false), "operations a second, with commas between them, such as 100,1000", stepOptions},
	setFind:        {"find", readFind, "a bound such as p99<5ms, and perhaps ,max=512 or ,of=rate", stepOptions},
	"ITERATIONS":   {"iterations", positive, "an integer from 1", lengthOptions},
	"DURATION":     {"duration", duration, "a time such as 30s or 1m30s", lengthOptions},
	"PRECISION":    {"precision", anyText, "a share such as 1%", lengthOptions},
	"WARMUP":       {"warmup", duration, "a time such as 2s", nil},
	"REPEATS":      {"repeats", positive, "an integer from 1", nil},
	"PAUSE":        {"pause", duration, "a time such as 1s", nil},
	"QUIET":        {"quiet", duration, "a time such as 60s", nil},
	"WAIT_CALM":    {"waitCalm", duration, "a time such as 5m", nil},
	"MAX_DURATION": {"maxDuration", duration, "a time such as 10m", nil},
}

func settingNames() []string {
	return slices.Sorted(slices.Values(slices.AppendSeq(
		[]string{setGates, setGate, setResults, setPortable, setBase, setChange}, maps.Keys(optionSettings))))
}

func positive(text string) (any, bool) {
	n, err := strconv.ParseInt(text, 10, 64)

	return n, err == nil && n > 0
}

func flag(text string) (any, bool) {
	is, err := strconv.ParseBool(text)

	return is, err == nil
}

func duration(text string) (any, bool) {
	d, ok := withUnit(text)

	return text, ok && d >= 0 || text == "0"
}

// withUnit reads a duration, and refuses numbers without a unit.
func withUnit(text string) (d time.Duration, ok bool) {
	d, err := types.ParseExtendedDuration(text)
	_, number := strconv.ParseFloat(text, 64)

	return d, err == nil && number != nil
}

func anyText(text string) (any, bool) { return text, true }

// wrongSetting is an error without a position in the script.
type wrongSetting struct{ error }

func wrong(name, accepts, value string) error {
	return wrongSetting{fmt.Errorf("%s must be %s, but is %q", name, accepts, value)}
}

// settings are the values of -e, and what the script reads itself.
type settings struct {
	read    sync.Once
	given   []string
	sources []string
	// asked are the names passed to sweep.settings, and closed is set if it was called.
	asked   sync.Map
	closed  atomic.Bool
	applied atomic.Bool
}

func (m *module) settings() *settings {
	s := testrun.Shared[settings](m.results)
	s.read.Do(func() { s.given, s.sources = k6x.Given() })

	return s
}

// env returns a variable that the script sees; scenarios may have their own.
func (m *module) env(name string) (value string, is bool) {
	all, is := m.vu.Runtime().Get("__ENV").(*sobek.Object)
	if !is {
		return "", false
	}
	found := all.Get(name)
	if k6x.IsNullish(found) {
		return "", false
	}

	return found.String(), true
}

// unread returns the error for a setting that nothing reads, in a script without sweep.options.
func (m *module) unread() error {
	if s := m.settings(); !s.applied.Load() {
		return s.refuseUnread([]string{setResults})
	}

	return nil
}

// refuseUnread returns the error for the first setting that nothing reads.
func (s *settings) refuseUnread(honoured []string) error {
	closed := s.closed.Load() // sweep.settings refuses names that it does not know
	if len(s.sources) == 0 && !closed {
		return nil
	}
	for _, name := range s.given {
		short := strings.TrimPrefix(name, "SWEEP_")
		if _, asked := s.asked.Load(short); asked || slices.Contains(honoured, short) || strings.HasPrefix(name, "K6_") ||
			closed && !slices.Contains(settingNames(), short) || !closed && k6x.Mentions(s.sources, short) {
			continue
		}
		hint := "those of a sweep are " + strings.Join(settingNames(), ", ")
		if meant := input.Nearest(short, honoured); meant != "" {
			hint = "did you mean " + meant + "?"
		} else if slices.Contains(settingNames(), short) {
			hint = "sweep.options({...}) does"
		}

		return wrongSetting{fmt.Errorf("nothing in the script reads the setting %s; %s", name, hint)}
	}

	return nil
}

// value returns the value of a setting, or "" if the script reads it itself.
func (m *module) value(name string) string {
	s := m.settings()
	text, _ := k6x.Setting(m.env, m.test, name, "")
	if _, asked := s.asked.Load(name); asked || text == "" || k6x.Reads(s.sources, name) {
		return ""
	}

	return text
}

func (m *module) apply(o *sweepOptions) error {
	s := m.settings()
	s.applied.Store(true)
	if err := s.refuseUnread(settingNames()); err != nil {
		return err
	}
	if text := m.value(setPortable); text != "" {
		is, ok := flag(text)
		if !ok {
			return wrong(setPortable, "true or false", text)
		}
		o.Portable, _ = is.(bool)
		if o.Portable { // it is also the length of a step's time slot
			delete(o.Executor, "maxDuration")
		}
	}
	if base, change := m.value(setBase), m.value(setChange); base+change != "" {
		if base == change {
			return wrongSetting{fmt.Errorf("%s and %s are both %q: give the variants of a duet different names", setBase, setChange, base)}
		}
		m.results.NameVariants(o.Scenario, map[string]string{report.Base: base, report.Change: change})
	}

	return m.applyOptions(o)
}

// applyOptions sets the options that settings name. RATE and FIND also need clients and a duration.
func (m *module) applyOptions(o *sweepOptions) error {
	vus, has := o.Executor["preAllocatedVUs"]
	if !has {
		vus = usualClients
	}
	replaced := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(optionSettings)) {
		text, setting := m.value(name), optionSettings[name]
		if text == "" {
			continue
		}
		read, ok := setting.read(text)
		if !ok {
			return wrong(name, setting.accept, text)
		}
		if len(setting.replaces) > 0 {
			if other := replaced[setting.replaces[0]]; other != "" {
				return wrongSetting{fmt.Errorf("%s and %s exclude each other: set one of them", other, name)}
			}
			replaced[setting.replaces[0]] = name
		}
		for _, option := range setting.replaces {
			delete(o.Executor, option)
		}
		o.Executor[setting.option] = read
	}
	steps := replaced[stepOptions[0]]
	if steps != setRate && steps != setFind {
		return nil
	}
	if find, _ := o.Executor["find"].(map[string]any); steps == setRate || find["of"] == "rate" {
		o.Executor["preAllocatedVUs"] = vus
	}
	if _, timed := o.Executor["duration"]; !timed && replaced[lengthOptions[0]] == "" {
		for _, option := range lengthOptions {
			delete(o.Executor, option)
		}
		o.Executor["duration"] = usualDuration
	}

	return nil
}

func numbers(whole bool) func(text string) (any, bool) {
	return func(text string) (any, bool) {
		var list []float64
		for part := range strings.SplitSeq(strings.Trim(text, "[] "), ",") {
			n, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
			if err != nil || n <= 0 || whole && n != float64(int64(n)) {
				return nil, false
			}
			list = append(list, n)
		}

		return list, true
	}
}

func readFind(text string) (any, bool) {
	search := map[string]any{"max": float64(usualMost)}
	for part := range strings.SplitSeq(text, ",") {
		key, value, is := cutBound(part, "<", "=")
		switch number, err := strconv.ParseFloat(value, 64); {
		case !is:
			return nil, false
		case key != "of" && err == nil:
			search[key] = number
		default:
			search[key] = value
		}
	}

	return search, true
}

// cutBound splits a text such as p99<5ms at one of the signs, optionally followed by =.
func cutBound(text string, signs ...string) (key, value string, is bool) {
	for _, sign := range signs {
		if key, value, is = strings.Cut(text, sign); is {
			value = strings.TrimPrefix(value, "=")

			return strings.TrimSpace(key), strings.TrimSpace(value), strings.TrimSpace(value) != ""
		}
	}

	return "", "", false
}

// applyGates reads the file of GATES, or makes gates for every step from GATE, such as p99<2ms.
func (m *module) applyGates(o *sweepOptions, ops []string) (err error) {
	file, bounds := m.value(setGates), m.value(setGate)
	if file != "" {
		if o.Gates, err = m.loadGates(file); err != nil {
			return wrongSetting{err}
		}
	}
	if bounds == "" {
		return nil
	}
	if o.Gates != nil {
		return wrongSetting{errors.New("GATE and GATES exclude each other: set one of them")}
	}
	const accepts = "bounds such as p99<2ms or opsPerSecond>1000, with commas between them"
	limits := map[string]string{}
	for part := range strings.SplitSeq(bounds, ",") {
		key, value, is := cutBound(part, "<", ">")
		if !is || strings.Contains(part, ">") != (key == "opsPerSecond") {
			return wrong(setGate, accepts, bounds)
		}
		limits[key] = value
	}
	if o.Gates, err = gate.OfBounds(o.Scenario, ops, limits); err != nil {
		return wrongSetting{fmt.Errorf("GATE must be %s, but is %q: %w", accepts, bounds, err)}
	}
	m.results.AddGates("-e GATE of "+o.Scenario, o.Gates)

	return nil
}
