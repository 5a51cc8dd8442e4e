package docs

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The tables of API.md are the rules that this file checks.
const api = "extensions/API.md"

var code = regexp.MustCompile("`([^`]+)`")

// rowsOf returns the cells of a section's table, without its heading.
func rowsOf(t *testing.T, text, section string) (rows [][]string) {
	t.Helper()
	_, after, found := strings.Cut(text, "\n## "+section+"\n")
	require.True(t, found, section)
	after, _, _ = strings.Cut(after, "\n## ")
	for line := range strings.Lines(after) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "|") {
			cells := strings.Split(strings.Trim(line, "|"), "|")
			rows = append(rows, cells)
		}
	}
	require.Greater(t, len(rows), 2, section)

	return rows[2:]
}

func namesIn(cell string) (names []string) {
	for _, found := range code.FindAllStringSubmatch(cell, -1) {
		names = append(names, strings.TrimSuffix(found[1], "()"))
	}

	return names
}

type rules struct {
	// instead maps a forbidden option or method to the name to use.
	instead map[string]string
	// kinds maps an error kind to its modules; an empty list means all.
	kinds map[string][]string
}

func readRules(t *testing.T) rules {
	t.Helper()
	text := read(t, api)
	r := rules{instead: map[string]string{}, kinds: map[string][]string{}}
	for _, row := range rowsOf(t, text, "Names") {
		right := namesIn(row[1])
		require.NotEmpty(t, right, row)
		for _, wrong := range namesIn(row[3]) {
			r.instead[wrong] = right[0]
		}
	}
	for _, row := range rowsOf(t, text, "Errors") {
		of := strings.Split(strings.TrimSpace(row[1]), ", ")
		if of[0] == "all" {
			of = nil
		}
		for _, kind := range namesIn(row[0]) {
			r.kinds[kind] = of
		}
	}

	return r
}

type declaration struct {
	owner, name, kind string
	optional, call    bool
}

var declared = regexp.MustCompile(`^\s+(?:export )?(?:readonly )?(?:function )?(\w+)(\??)(?:<[^>]*>)?([(:])\s*(.*)$`)

func declarations(text string) (all []declaration, kinds []string) {
	owner, inKind := "", false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "*") || strings.HasPrefix(trimmed, "/") {
			continue
		}
		if found := declaredType.FindStringSubmatch(line); found != nil {
			owner = found[1]
		}
		found := declared.FindStringSubmatch(strings.TrimRight(line, "\n"))
		switch {
		case found != nil:
			all = append(all, declaration{owner, found[1], strings.TrimSuffix(found[4], ";"), found[2] != "", found[3] == "("})
			inKind = found[1] == "kind" && strings.HasSuffix(owner, "Error")
		case !strings.HasPrefix(trimmed, "|"):
			inKind = false
		}
		if inKind {
			for _, kind := range regexp.MustCompile(`'(\w+)'`).FindAllStringSubmatch(trimmed, -1) {
				kinds = append(kinds, kind[1])
			}
		}
	}

	return all, kinds
}

// xk6nats is a class that keeps another extension's names.
const xk6nats = "Nats"

// types restricts the types of options that all modules share.
var types = map[string]*regexp.Regexp{
	"ttl":            regexp.MustCompile(`^(XK6Sweep\.)?TTL$|^string \| 0$`),
	"timeout":        regexp.MustCompile(`^(XK6Sweep\.)?Duration$`),
	"connectTimeout": regexp.MustCompile(`^(XK6Sweep\.)?Duration$`),
	"duration":       regexp.MustCompile(`^(XK6Sweep\.)?Duration$|^string \| number$`),
	"iterations":     regexp.MustCompile(`^number$`),
	"connection":     regexp.MustCompile(`^'vu' \| 'shared'$`),
	"tls":            regexp.MustCompile(`^boolean \| (XK6Sweep\.)?TLSOptions$`),
	"url":            regexp.MustCompile(`^string \| (readonly )?string\[\]$|^string$`),
}

func (r rules) breaches(module, text string) (breaches []string) {
	say := func(format string, args ...any) {
		breaches = append(breaches, module+": "+fmt.Sprintf(format, args...))
	}
	all, kinds := declarations(text)
	has := map[string]bool{}
	for _, d := range all {
		has[d.owner+"."+d.name] = true
	}
	for _, d := range all {
		if d.owner == xk6nats {
			continue
		}
		// Answers keep the server's own names.
		isAnswer := !d.call && (!d.optional || strings.HasSuffix(d.owner, "Info"))
		if right, wrong := r.instead[d.name]; wrong && !isAnswer {
			say("%s.%s is called %s", d.owner, d.name, right)
		}
		if want := types[d.name]; want != nil && d.optional && !want.MatchString(d.kind) {
			say("%s.%s is %s", d.owner, d.name, d.kind)
		}
		if other, is := strings.CutPrefix(d.name, "async"); is {
			blocking := strings.ToLower(other[:1]) + other[1:]
			if !has[d.owner+"."+blocking] {
				say("%s.%s is without %s", d.owner, d.name, blocking)
			}
		}
	}
	for _, d := range all {
		if d.name != "kind" || !strings.HasSuffix(d.owner, "Error") {
			continue
		}
		for _, field := range []string{"name", "code"} {
			if !has[d.owner+"."+field] {
				say("%s is without %s", d.owner, field)
			}
		}
	}
	for _, kind := range kinds {
		if of, known := r.kinds[kind]; !known || (of != nil && !slices.Contains(of, module)) {
			say("no error has the kind %s", kind)
		}
	}
	for kind, of := range r.kinds {
		if slices.Contains(of, module) && !slices.Contains(kinds, kind) {
			say("the kind %s is missing", kind)
		}
	}
	slices.Sort(breaches)

	return slices.Compact(breaches)
}

func TestDeclarationsKeepTheRules(t *testing.T) {
	r := readRules(t)
	require.Greater(t, len(r.instead), 20)
	require.Greater(t, len(r.kinds), 20)
	files, err := filepath.Glob(filepath.Join(root, "extensions/*/index.d.ts"))
	require.NoError(t, err)
	internal, err := filepath.Glob(filepath.Join(root, "extensions/internal/*/index.d.ts"))
	require.NoError(t, err)
	require.Greater(t, len(files)+len(internal), 8)
	var breaches []string
	for _, file := range append(files, internal...) {
		name, err := filepath.Rel(root, file)
		require.NoError(t, err)
		breaches = append(breaches, r.breaches(filepath.Base(filepath.Dir(file)), read(t, name))...)
	}
	require.Empty(t, breaches)
}

func TestBreachesOfRulesAreFound(t *testing.T) {
	text := `declare module 'k6/x/sql' {
  export interface ClientOptions {
    /** servers: in a comment, as timeout?: number. */
    servers?: string[];
    timeout?: number;
    ttl?: XK6Sweep.TTL;
  }
  export interface SqlError extends Error {
    name: 'SqlError';
    status: number;
    kind:
      | 'connect' | 'append' // its own
      | 'syntax'
      | 'slow_consumer'
      | 'tired';
  }
  export class Nats {
    servers?: string[];
  }
  export class Client {
    get(key: string): string;
    asyncGet(key: string): Promise<string>;
    asyncSet(key: string): Promise<void>;
    del(key: string): void;
  }
}
`
	require.Equal(t, []string{
		"sql: Client.asyncSet is without set",
		"sql: Client.del is called delete",
		"sql: ClientOptions.servers is called url",
		"sql: ClientOptions.timeout is number",
		"sql: SqlError is without code",
		"sql: no error has the kind slow_consumer",
		"sql: no error has the kind tired",
	}, readRules(t).breaches("sql", text))
}

var jsonName = regexp.MustCompile("`json:\"(\\w+)[\",]")

func TestOptionsKeepTheRules(t *testing.T) {
	r := readRules(t)
	options := 0
	var breaches []string
	for _, module := range modules(t) {
		files, err := filepath.Glob(filepath.Join(root, "extensions", module, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			name, err := filepath.Rel(root, file)
			require.NoError(t, err)
			if strings.HasSuffix(file, "_test.go") || name == "extensions/nats/compat.go" { // class Nats
				continue
			}
			for _, found := range jsonName.FindAllStringSubmatch(read(t, name), -1) {
				options++
				if right := r.instead[found[1]]; right != "" {
					breaches = append(breaches, name+": "+found[1]+" is called "+right)
				}
			}
		}
	}
	require.Empty(t, breaches)
	require.Greater(t, options, 20)
}

var metricName = regexp.MustCompile(`"((?:machbase|memcached|umemcache|resp|nats|mxgateway|sql|sweep)_[a-z0-9_]*[a-z0-9])"`)

func TestMetricsKeepTheRules(t *testing.T) {
	pages := read(t, "extensions/README.md")
	for _, module := range append(modules(t), "sql") {
		source := readAll(t, "extensions/"+module)
		if module == "sweep" {
			continue
		}
		documented := pages + read(t, "extensions/"+module+"/index.d.ts")
		names := map[string]bool{}
		for _, found := range metricName.FindAllStringSubmatch(source, -1) {
			if strings.HasPrefix(found[1], module+"_") {
				names[found[1]] = true
			}
		}
		names[module+"_failed"] = true // registered by k6x
		for name := range names {
			require.True(t, strings.Contains(documented, "`"+name+"`"), "%s is not documented", name)
		}
		require.True(t, names[module+"_ops"], "%s counts its operations", module)
	}
}

func TestSettingsKeepTheRules(t *testing.T) {
	c := newChecker(t)
	isOfStore := regexp.MustCompile(`^(BASE_URL|(BASE_)?(MACHBASE|MEMCACHED|UMEM|REDIS|POGOCACHE|NATS|MXGW|POSTGRES|SQLITE)_[A-Z_]+)$`)
	words := regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`)
	all := map[string]bool{}
	for _, settings := range c.settings {
		for _, name := range settings {
			all[name] = true
		}
	}
	require.Greater(t, len(all), 40)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		require.Regexp(t, words, name)
		require.NotRegexp(t, `(^|_)(ADDR|ADDRESS|HOST|PORT|SERVERS?)$`, name, "it is called _URL")
		require.NotRegexp(t, `^SWEEP_`, name, "that is how the environment has it")
		if strings.HasSuffix(name, "_URL") || strings.HasSuffix(name, "_PID") {
			require.Regexp(t, isOfStore, name, "the environment has it without SWEEP_")
		}
	}
	for wrong, right := range map[string]string{
		"OPS": "ITERATIONS", "CALLS": "ITERATIONS", "COUNT": "ITERATIONS", "TIME": "DURATION", "THRESHOLDS": "GATES", "POOL": "CONNECTION",
	} {
		require.NotContains(t, all, wrong, "it is called %s", right)
	}
}

func TestExitCodesAreThoseOfTheHelp(t *testing.T) {
	var page, help []string
	for _, row := range rowsOf(t, read(t, api), "Exit codes") {
		page = append(page, strings.TrimSpace(row[0]))
	}
	for _, found := range regexp.MustCompile(`(?m)^ +(\d+)  \S`).FindAllStringSubmatch(
		read(t, "extensions/sweep/command/testdata/help.txt"), -1,
	) {
		help = append(help, found[1])
	}
	require.Greater(t, len(help), 5)
	require.Equal(t, help, page)
}
