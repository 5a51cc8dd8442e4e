package k6x

import "go.k6.io/k6/v2/lib"

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

	if gs == nil {
		return true
	}
	for i := range gs.CmdArgs {
		if assignment(gs.CmdArgs, i) == name+"="+value {
			return false
		}
	}

	return true
}
