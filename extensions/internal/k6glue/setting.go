package k6glue

import (
	"strings"

	"go.k6.io/k6/v2/lib"
)

const settingPrefix = "SWEEP_"

// Setting returns a script's setting: the value of `-e name=value`, or else of the environment
// variable named environment, by default SWEEP_ and the name. env looks names up as __ENV does. An
// exported variable with the setting's short name does not count.
func Setting(
	env func(name string) (string, bool), test *lib.TestPreInitState, name, environment string,
) (value string, is bool) {
	if environment == "" {
		environment = settingPrefix + name
	}
	if value, is = env(name); is && (name == environment || !exported(test, name, value)) {
		return value, true
	}

	return env(environment)
}

// exported reports whether a value comes from the environment and not from -e.
func exported(test *lib.TestPreInitState, name, value string) bool {
	if test.LookupEnv == nil {
		return false
	}
	if own, is := test.LookupEnv(name); !is || own != value {
		return false
	}
	gs := process.Load()

	return gs == nil || !givenAsFlag(gs.CmdArgs, name+"="+value)
}

// givenAsFlag reports whether a command line contains `-e assignment`, in any form.
func givenAsFlag(args []string, assignment string) bool {
	for i, arg := range args {
		before, is := strings.CutSuffix(arg, assignment)
		if is && before == "" && i > 0 {
			before = args[i-1]
		}
		before = strings.TrimSuffix(before, "=")
		short := strings.HasPrefix(before, "-") && !strings.HasPrefix(before, "--") && strings.HasSuffix(before, "e")
		if is && (short || before == "--env") {
			return true
		}
	}

	return false
}
