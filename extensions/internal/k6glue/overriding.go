package k6glue

import (
	"encoding/json"
	"os"
	"strings"
)

// shortcuts are k6's options that replace a script's scenarios, in order of precedence.
var shortcuts = []struct{ flag, short, variable, option string }{ //nolint:gochecknoglobals // a constant
	{"iterations", "i", "K6_ITERATIONS", "iterations"},
	{"duration", "d", "K6_DURATION", "duration"},
	{"stage", "s", "K6_STAGES", "stages"},
	{"vus", "u", "K6_VUS", "vus"},
}

// Overriding returns the option that has replaced the script's scenarios and where it is set, or
// "".
func Overriding() string {
	args, lookup, config := os.Args, os.LookupEnv, ""
	if gs := process.Load(); gs != nil {
		args, config = gs.CmdArgs, gs.Flags.ConfigFilePath
		lookup = func(name string) (string, bool) { value, is := gs.Env[name]; return value, is }
	}

	return overriding(args, lookup, config)
}

func overriding(args []string, lookup func(string) (string, bool), config string) string {
	if flag := shortcutIn(args); flag != "" {
		return flag
	}
	for _, s := range shortcuts {
		if value, is := lookup(s.variable); is && value != "" {
			return s.variable
		}
	}
	if raw, err := os.ReadFile(config); err == nil {
		var file map[string]json.RawMessage
		if json.Unmarshal(raw, &file) == nil && file["vus"] != nil { // other options do not override scenarios
			return "vus in " + config
		}
	}

	return "vus in the script's options"
}

func shortcutIn(args []string) string {
	const withoutValue = "qvlpw" // short flags that may precede others in one word
	for _, arg := range args {
		if arg == "--" {
			break
		}
		name, _, _ := strings.Cut(arg, "=")
		letters := strings.TrimLeft(strings.TrimPrefix(name, "-"), withoutValue)
		for _, s := range shortcuts {
			short := !strings.HasPrefix(name, "--") && strings.HasPrefix(name, "-") && strings.HasPrefix(letters, s.short)
			if name == "--"+s.flag || short {
				return "--" + s.flag
			}
		}
	}

	return ""
}
