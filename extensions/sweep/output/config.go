package output

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.k6.io/k6/v2/output"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/files"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
)

// Config holds the settings of -o sweep=DIR?name=value&...
type Config struct {
	Dir  string
	Name string
	// Skip is the time left out at the start of each scenario.
	Skip    time.Duration
	ByStage bool
	Gates   *gate.File
	// MostOps is the maximum number of kinds of operations with their own steps.
	MostOps int
}

const (
	defaultDir     = "results"
	defaultMostOps = 2000
	highestMostOps = 2000
)

// newConfig reads the output's argument. Errors name the mistake and the right form.
func newConfig(params output.Params) (Config, error) {
	c := Config{MostOps: defaultMostOps}
	dir, query, _ := strings.Cut(params.ConfigArgument, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return c, fmt.Errorf("%q cannot be read: it must be such as results?skip=10s&by=stage", query)
	}
	setters := map[string]func(string) error{
		"name": c.setName, "skip": c.setSkip, "by": c.setBy, "gates": c.setGates, "series": c.setMostOps,
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		set := setters[key]
		if set == nil {
			return c, unknown(key, slices.Sorted(maps.Keys(setters)))
		}
		if len(values[key]) > 1 {
			return c, fmt.Errorf("%s is given more than once", key)
		}
		if err := set(values[key][0]); err != nil {
			return c, fmt.Errorf("%s: %w", key, err)
		}
	}
	c.Name = cmp.Or(c.Name, nameOf(params.ScriptPath))
	if len(c.Name) > files.LongestName {
		return c, fmt.Errorf("the name of the report must have at most %d bytes, but has %d: give another by name=",
			files.LongestName, len(c.Name))
	}
	c.Dir = cmp.Or(dir, setting(params, "RESULTS"), defaultDir)
	if c.Gates != nil && c.Gates.Scenario != c.Name {
		return c, fmt.Errorf("gates: they are of scenario %q, not of %q: give name=%s, or change their scenario",
			c.Gates.Scenario, c.Name, url.QueryEscape(c.Gates.Scenario))
	}

	return c, nil
}

func unknown(key string, known []string) error {
	return fmt.Errorf("unknown setting %q: it must be one of %s%s", key, strings.Join(known, ", "), input.DidYouMean(key, known))
}

// setting returns the value of -e, else the environment variable with the prefix SWEEP_.
func setting(params output.Params, name string) string {
	given := params.RuntimeOptions.Env[name]
	if own, is := os.LookupEnv(name); is && own == given { // exported by a shell or CI system; k6 adds -e to params.Environment
		given = ""
	}

	return cmp.Or(given, params.RuntimeOptions.Env["SWEEP_"+name], params.Environment["SWEEP_"+name])
}

func nameOf(script *url.URL) string {
	if script == nil {
		return "script"
	}
	base := path.Base(script.Path)
	name := strings.TrimSuffix(base, path.Ext(base))
	if strings.Trim(name, "-./") == "" { // standard input
		return "script"
	}

	return name
}

func (c *Config) setName(name string) error {
	if name == "" || name != filepath.Base(name) || strings.HasPrefix(name, ".") {
		return fmt.Errorf("%q cannot be the name of a report: it must be the beginning of a file's name, such as login", name)
	}
	c.Name = name

	return nil
}

func (c *Config) setSkip(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return fmt.Errorf("%q is no time: it must be such as 10s or 1m30s", text)
	}
	c.Skip = d

	return nil
}

func (c *Config) setBy(text string) error {
	if text != "stage" {
		return fmt.Errorf("%q is nothing that steps can be by: it must be stage", text)
	}
	c.ByStage = true

	return nil
}

func (c *Config) setGates(file string) (err error) {
	if file == "" {
		return errors.New("it must be a file of gates, such as thresholds/script.json")
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if c.Gates, err = gate.Parse(raw); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}

	return c.Gates.LoadBaseline(file, os.ReadFile)
}

func (c *Config) setMostOps(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > highestMostOps {
		return fmt.Errorf("%q is impossible: it must be a number from 1 to %d", text, highestMostOps)
	}
	c.MostOps = n

	return nil
}
