package docs

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../../.."

type checker struct {
	makefile string
	settings map[string][]string
	sources  string
	chaos    string // its protocols and faults
}

var (
	settingName  = regexp.MustCompile("`([A-Z][A-Z_]*[A-Z])`")
	scenarioName = regexp.MustCompile("^\\| `([a-z-]+)` \\| .* \\| (?:sweep, )?`[A-Z]")
)

func newChecker(t *testing.T) *checker {
	t.Helper()
	c := &checker{
		makefile: read(t, "Makefile"), settings: map[string][]string{},
		chaos: read(t, "scripts/chaos/protocol_test.go") + read(t, "scripts/chaos/fault_test.go"),
	}
	var sweeps []string
	for line := range strings.Lines(read(t, "scenarios/README.md")) { // an e2e test compares its tables with the scenarios
		cells := strings.Split(line, " | ")
		var names []string
		for _, found := range settingName.FindAllStringSubmatch(cells[min(2, len(cells)-1)], -1) {
			names = append(names, found[1])
		}
		if row := scenarioName.FindStringSubmatch(line); row != nil {
			if strings.HasPrefix(cells[2], "sweep, ") {
				names = append(names, sweeps...)
			}
			c.settings[row[1]] = names
		} else if found := settingName.FindAllStringSubmatch(cells[0], -1); strings.HasPrefix(line, "| `") && len(c.settings) == 0 { // of all sweeps
			for _, one := range found {
				sweeps = append(sweeps, one[1])
			}
		}
	}
	for _, pattern := range []string{"Makefile", "scripts/*.sh", "scripts/servers/*.sh", "scripts/servers/lib/*.sh"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		for _, file := range files {
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			c.sources += string(raw)
		}
	}

	return c
}

func read(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, name))
	require.NoError(t, err)

	return string(raw)
}

func exists(name string) bool {
	found, err := filepath.Glob(filepath.Join(root, name))

	return err == nil && len(found) > 0
}

// placeholder matches words for the reader to replace, such as NAME.js or scenarios/….
var placeholder = regexp.MustCompile(`…|\.\.\.|(^|/)[A-Z]+(\.[a-z]+)?$|^\$`)

var others = []string{"cd", "cp", "curl", "eval", "export", "git", "npm", "xk6"}

func (c *checker) faults(command Command) []string {
	faults := c.variables(command.Environment)
	if len(command.Words) == 0 {
		return faults
	}
	program, rest := command.Words[0], command.Words[1:]
	switch {
	case program == "make":
		faults = append(faults, c.ofMake(rest)...)
	case program == "bin/k6" || program == "k6" || program == "bin/k6-drivers":
		faults = append(faults, c.ofK6(command.Page, rest)...)
	case program == "scripts/servers.sh":
		faults = append(faults, c.ofServers(command.Page, rest)...)
	case strings.HasPrefix(program, "scripts/"):
		faults = append(faults, c.ofScript(program, rest)...)
	case program == "go":
		faults = append(faults, filesBehind("-C", rest)...)
	case program == "docker" || program == "kubectl":
		faults = append(faults, c.ofContainer(command.Page, rest)...)
	case program == "bash" && len(rest) == 2 && rest[0] == "-c":
		for _, inner := range split(rest[1]) {
			inner.Page = command.Page
			faults = append(faults, c.faults(inner)...)
		}
	case program == "export":
		faults = append(faults, c.variables(named(rest))...)
	case program == "bin/bench":
		faults = append(faults, undeclared("scripts/bench", rest)...)
	case !slices.Contains(others, program):
		faults = append(faults, program+" is not known")
	}

	return faults
}

// variables returns the names that no script, scenario or k6 reads.
func (c *checker) variables(names []string) (faults []string) {
	for _, name := range names {
		read := strings.HasPrefix(name, "K6_") || strings.HasPrefix(name, "XK6_DASHBOARD_") || regexp.MustCompile(`\b`+name+`\b`).MatchString(c.sources)
		for _, settings := range c.settings {
			read = read || slices.Contains(settings, name)
		}
		if !read {
			faults = append(faults, "nobody reads the variable "+name)
		}
	}

	return faults
}

func named(assignments []string) (names []string) {
	for _, a := range assignments {
		name, _, _ := strings.Cut(a, "=")
		names = append(names, name)
	}

	return names
}

// ofMake accepts targets, Makefile variables, settings of scenarios, and a folder.
func (c *checker) ofMake(arguments []string) (faults []string) {
	for i, argument := range arguments {
		name, value, assigned := strings.Cut(argument, "=")
		switch {
		case argument == "-C" || i > 0 && arguments[i-1] == "-C":
		case assigned && !strings.Contains(c.makefile, "$("+name+")") && !c.isSetting(name):
			faults = append(faults, "make reads no "+name)
		case name == "BENCH":
			faults = append(faults, undeclared("scripts/bench", []string{"-only", value})...)
		case name == "BENCH_FLAGS":
			faults = append(faults, undeclared("scripts/bench", strings.Fields(value))...)
		case name == "CHAOS":
			for _, word := range regexp.MustCompile(`[\w-]+`).FindAllString(value, -1) {
				if !strings.Contains(c.chaos, `name: "`+word+`"`) {
					faults = append(faults, "scripts/chaos has no "+word)
				}
			}
		case !assigned && !regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(argument)+`:`).MatchString(c.makefile):
			faults = append(faults, "there is no target "+argument)
		}
	}

	return faults
}

func (c *checker) isSetting(name string) bool {
	for _, settings := range c.settings {
		if slices.Contains(settings, name) {
			return true
		}
	}

	return false
}

// undeclared returns the options that no Go file in the folder declares, and unknown values of
// -only.
func undeclared(folder string, arguments []string) (faults []string) {
	files, _ := filepath.Glob(filepath.Join(root, folder, "*.go"))
	var source strings.Builder
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") {
			raw, _ := os.ReadFile(file)
			source.Write(raw)
		}
	}
	for i, argument := range arguments {
		name, isOption := strings.CutPrefix(argument, "-")
		switch {
		case isOption && !regexp.MustCompile(`flags?\.\w+\((&[\w.]+, )?"`+name+`"`).MatchString(source.String()):
			faults = append(faults, folder+" has no option "+argument)
		case i > 0 && arguments[i-1] == "-only":
			for part := range strings.SplitSeq(argument, ",") {
				if !regexp.MustCompile(`"` + part + `"[,:)]`).MatchString(source.String()) {
					faults = append(faults, folder+" has no "+part)
				}
			}
		}
	}

	return faults
}

// ofK6 checks the script of a run and its variables. Another test covers k6's own options.
func (c *checker) ofK6(page string, arguments []string) (faults []string) {
	var script string
	for i, argument := range arguments {
		if strings.HasSuffix(argument, ".js") && (i == 0 || arguments[i-1] != "-e") {
			script = argument
		}
		ours := strings.HasPrefix(argument, "scenarios/") || strings.HasPrefix(argument, "extensions/") || strings.HasPrefix(argument, "thresholds/")
		if ours && !placeholder.MatchString(argument) && !exists(argument) {
			faults = append(faults, "there is no "+argument)
		}
	}
	for i, argument := range arguments[:max(0, len(arguments)-1)] {
		if argument != "-e" {
			continue
		}
		name, value, _ := strings.Cut(arguments[i+1], "=")
		if !c.reads(page, script, name) {
			faults = append(faults, fmt.Sprintf("%s does not read %s", script, name))
		}
		if name == "GATES" && exists(script) && !placeholder.MatchString(value) && !exists(path.Join(path.Dir(script), value)) {
			faults = append(faults, "there is no "+value)
		}
	}

	return faults
}

// honoured matches the quoted settings in the file that implements sweep.options.
var honoured = regexp.MustCompile(`"([A-Z_]{4,})"`)

// reads reports whether a script reads a variable: through its settings, its text, or
// sweep.options. The script may be in the root, in the page's folder, or on the page itself.
func (c *checker) reads(page, script, name string) bool {
	if placeholder.MatchString(script) {
		return true
	}
	if settings, found := c.settings[strings.TrimSuffix(path.Base(script), ".js")]; found {
		return slices.Contains(settings, name)
	}
	text := read0(script) + read0(path.Join(path.Dir(page), script)) + read0(path.Join("examples", script)) // written by k6 x sweep new
	if onPage := read0(page); text == "" && strings.Contains(onPage, "// "+script+"\n") {
		text = onPage
	}
	if text == "" || strings.Contains(text, "sweep.options(") {
		for _, found := range honoured.FindAllStringSubmatch(read0("extensions/sweep/jsmodule/settings.go"), -1) {
			if found[1] == name {
				return true
			}
		}
	}
	writesReport := strings.Contains(text, "sweep.report(data)")

	return strings.Contains(text, "__ENV."+name) || (name == "RESULTS" && writesReport)
}

// ofServers checks the servers of a servers.sh command, and the command after --.
func (c *checker) ofServers(page string, arguments []string) (faults []string) {
	arguments, command := behind(arguments)
	if len(arguments) == 0 {
		return nil
	}
	if !regexp.MustCompile(`(?m)^\s+` + arguments[0] + `\)|\b` + arguments[0] + `\b`).MatchString(read0("scripts/servers.sh")) {
		faults = append(faults, "servers.sh has no "+arguments[0])
	}
	for _, server := range arguments[1:] {
		if !exists("scripts/servers/" + server + ".sh") {
			faults = append(faults, "there is no server "+server)
		}
	}
	if len(command) > 0 {
		faults = append(faults, c.faults(Command{Page: page, Words: command})...)
	}

	return faults
}

// ofScript checks that the script's text contains each option, and checks the run after --.
func (c *checker) ofScript(program string, arguments []string) (faults []string) {
	if !exists(program) {
		return []string{"there is no " + program}
	}
	arguments, run := behind(arguments)
	for _, argument := range arguments {
		if strings.HasPrefix(argument, "-") && !regexp.MustCompile(regexp.QuoteMeta(argument)+`\b`).MatchString(read0(program)) {
			faults = append(faults, program+" has no option "+argument)
		}
	}

	return append(faults, c.ofK6("README.md", run)...)
}

// ofContainer checks that the named files exist, and k6's arguments after run.
func (c *checker) ofContainer(page string, arguments []string) (faults []string) {
	for _, name := range following("-f", arguments) {
		if name != "-" && !exists(name) && !exists(path.Join(path.Dir(page), name)) {
			faults = append(faults, "there is no "+name)
		}
	}
	if i := slices.Index(arguments, "run"); i >= 0 {
		faults = append(faults, c.ofK6(page, arguments[i:])...)
	}

	return faults
}

func filesBehind(option string, arguments []string) (faults []string) {
	for _, name := range following(option, arguments) {
		if !exists(name) {
			faults = append(faults, "there is no "+name)
		}
	}

	return faults
}

func following(option string, arguments []string) (values []string) {
	for i, argument := range arguments {
		if i > 0 && arguments[i-1] == option {
			values = append(values, argument)
		}
	}

	return values
}

// behind splits arguments at the first --.
func behind(arguments []string) (before, after []string) {
	if i := slices.Index(arguments, "--"); i >= 0 {
		return arguments[:i], arguments[i+1:]
	}

	return arguments, nil
}

// read0 returns a file's text, or "" if it cannot be read.
func read0(name string) string {
	raw, _ := os.ReadFile(filepath.Join(root, name))

	return string(raw)
}
