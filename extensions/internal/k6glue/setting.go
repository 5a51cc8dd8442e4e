package k6glue

import (
	"strings"

	"go.k6.io/k6/v2/lib"
)

// settingPrefix begins the name of an environment variable that is a setting.
const settingPrefix = "SWEEP_"

// Setting is a setting of a script: what `-e name=value` says, or else the environment's variable
// that is called environment or, where that is "", SWEEP_ and the name. env has both, as scripts
// know them from __ENV: a variable that a shell or a CI system exports is no setting by its name.
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

// exported tells whether a variable's value is the environment's own. Where -e says the same, it is
// not.
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

// givenAsFlag tells whether a command line has `-e assignment`, in any way of writing it.
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
