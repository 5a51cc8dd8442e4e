package k6x

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/netutil"
)

// Given returns the names set with -e on the command line, and the sources of the script and its
// local imports. sources is empty if the script is an archive or standard input.
func Given() (names, sources []string) {
	gs := process.Load()
	if gs == nil {
		return nil, nil
	}
	var script string
	for i, arg := range gs.CmdArgs {
		if name, _, is := strings.Cut(assignment(gs.CmdArgs, i), "="); is {
			names = append(names, name)
		} else if ext := filepath.Ext(arg); !strings.HasPrefix(arg, "-") && (ext == ".js" || ext == ".ts" || ext == ".mjs") {
			script = arg
		}
	}
	seen := map[string]bool{}
	load(script, seen, &sources)

	return names, sources
}

var (
	urlSetting = regexp.MustCompile(`\b[A-Z][A-Z0-9_]*_URL\b`)
	portIn     = regexp.MustCompile(`[\w\]]:(\d{1,5})\b`)
)

// AddressSettings returns the script's settings with the address in an error, such as REDIS_URL:
// those whose value or default has the port, else the only one of the script; "" if unknown.
func AddressSettings(failure string) string {
	gs := process.Load()
	if gs == nil {
		return ""
	}
	values := map[string]string{}
	for i := range gs.CmdArgs {
		if name, value, is := strings.Cut(assignment(gs.CmdArgs, i), "="); is {
			values[name] = value
		}
	}
	_, sources := Given()

	return addressSettings(failure, sources, func(name string) string { return cmp.Or(values[name], gs.Env[name]) })
}

func addressSettings(failure string, sources []string, value func(name string) string) string {
	all, found := map[string]bool{}, map[string]bool{}
	for _, text := range sources {
		for line := range strings.Lines(text) {
			for _, name := range urlSetting.FindAllString(line, -1) {
				all[name] = true
				ports := portsIn(cmp.Or(value(name), line))
				if slices.ContainsFunc(portsIn(failure), func(port string) bool { return slices.Contains(ports, port) }) {
					found[name] = true
				}
			}
		}
	}
	if len(found) == 0 && len(all) == 1 {
		found = all
	}

	return strings.Join(slices.Sorted(maps.Keys(found)), " or ")
}

func portsIn(text string) (ports []string) {
	for _, found := range portIn.FindAllStringSubmatch(text, -1) {
		ports = append(ports, found[1])
	}

	return ports
}

// Command returns the command line of this process without secrets; "" if it is unknown.
func Command() string {
	gs := process.Load()
	if gs == nil {
		return ""
	}
	words := slices.Clone(gs.CmdArgs)
	for i, arg := range gs.CmdArgs {
		given := assignment(gs.CmdArgs, i)
		name, value, is := strings.Cut(given, "=")
		switch {
		case i == 0:
			words[i] = filepath.Base(arg)
		case is && value != "" && secretName.MatchString(name):
			words[i] = strings.TrimSuffix(arg, value) + "***"
		case gs.CmdArgs[i-1] == "--secret-source":
			words[i] = "***"
		case strings.HasPrefix(arg, "--secret-source="):
			words[i] = "--secret-source=***"
		}
		if strings.ContainsAny(words[i], " \t\n'\"\\<>|&;$`(){}?#!") {
			words[i] = "'" + strings.ReplaceAll(words[i], "'", `'\''`) + "'"
		}
	}

	return netutil.Redact(strings.Join(words, " "))
}

// secretName matches the names of settings that are secrets.
var secretName = regexp.MustCompile(`(?i)pass|pwd|secret|token|credential|auth|key$`)

// assignment returns the value of -e or --env at index i, or "".
func assignment(args []string, i int) string {
	arg := args[i]
	if after, is := strings.CutPrefix(arg, "--env="); is {
		return after
	}
	if found := shortEnv.FindStringSubmatch(arg); found != nil && found[1] != "" {
		return found[1]
	}
	if i > 0 && (args[i-1] == "--env" || shortEnvAlone.MatchString(args[i-1])) {
		return arg
	}

	return ""
}

var (
	shortEnv      = regexp.MustCompile(`^-[a-zA-Z]*?e=?([A-Za-z_]\w*=.*)$`)
	shortEnvAlone = regexp.MustCompile(`^-[a-zA-Z]*e$`)
	localImport   = regexp.MustCompile(`(?:from|import|require\()\s*['"](\.[^'"]+)['"]`)
)

func load(path string, seen map[string]bool, sources *[]string) {
	raw, err := os.ReadFile(path) //nolint:gosec // the script that k6 was told to run
	if err != nil || seen[path] {
		return
	}
	seen[path] = true
	*sources = append(*sources, string(raw))
	for _, found := range localImport.FindAllStringSubmatch(string(raw), -1) {
		load(filepath.Join(filepath.Dir(path), found[1]), seen, sources)
	}
}

// Mentions reports whether a source contains name as a word.
func Mentions(sources []string, name string) bool {
	return matches(sources, name, `\b`+regexp.QuoteMeta(name)+`\b`)
}

// Reads reports whether a source reads a setting: from __ENV, including destructuring, or as the
// first argument of a function.
func Reads(sources []string, name string) bool {
	quoted := regexp.QuoteMeta(name)

	return matches(sources, name, `__ENV\.`+quoted+`\b|(__ENV\[|\w\()\s*['"]`+quoted+`['"]|\{[^{}]*\b`+quoted+`\b[^{}]*\}\s*=\s*__ENV\b`)
}

// matches looks first for the name, which most texts lack.
func matches(sources []string, name, pattern string) bool {
	compiled := regexp.MustCompile(pattern)

	return slices.ContainsFunc(sources, func(text string) bool { return strings.Contains(text, name) && compiled.MatchString(text) })
}
