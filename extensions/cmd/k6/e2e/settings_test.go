package e2e

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// knownSettings returns the settings of each scenario, which the error for an unknown one lists.
func knownSettings(t *testing.T) map[string][]string {
	t.Helper()
	scenarios, err := filepath.Glob(filepath.Join(root, "scenarios", "*.js"))
	require.NoError(t, err)
	settings := map[string][]string{}
	for _, file := range scenarios {
		name := strings.TrimSuffix(filepath.Base(file), ".js")
		out, err := inspect(t, name, nil, "NO_SETTING_OF_OURS=1")
		require.Error(t, err)
		_, list, found := strings.Cut(out, "nothing in the script reads the setting NO_SETTING_OF_OURS; its settings are ")
		require.True(t, found, out)
		list, _, _ = strings.Cut(list, "\"")
		settings[name] = strings.Split(list, ", ")
	}
	require.NotEmpty(t, settings)

	return settings
}

var (
	tableSetting = regexp.MustCompile("`([A-Z][A-Z_]*)`")
	tableName    = regexp.MustCompile("^`([a-z-]+)`$")
)

func TestSettingsAreDocumented(t *testing.T) {
	t.Parallel()
	settings := knownSettings(t)
	readme, err := os.ReadFile(filepath.Join(root, "scenarios", "README.md"))
	require.NoError(t, err)
	var sweeps []string
	documented := map[string][]string{}
	for section := range strings.SplitSeq(string(readme), "\n## ") {
		listed := map[string][]string{}
		var meant []string
		for line := range strings.Lines(section) {
			cells := strings.Split(strings.TrimSpace(line), " | ")
			cells[0] = strings.TrimPrefix(cells[0], "| ")
			if found := tableName.FindStringSubmatch(cells[0]); found != nil {
				listed[found[1]] = namedSettings(cells[2])
				if strings.HasPrefix(cells[2], "sweep, ") {
					listed[found[1]] = append(listed[found[1]], sweeps...)
				}
			} else if strings.HasPrefix(line, "| ") {
				meant = append(meant, namedSettings(cells[0])...)
			}
		}
		if strings.HasPrefix(section, "Settings\n") {
			sweeps = meant
		}
		for name, names := range listed {
			documented[name] = names
			for _, setting := range names {
				require.Contains(t, append(meant, sweeps...), setting, "of %s", name)
			}
		}
	}

	for name, names := range settings {
		require.ElementsMatch(t, names, documented[name], "of %s", name)
	}
	require.Len(t, documented, len(settings))
}

func namedSettings(cell string) (names []string) {
	for _, found := range tableSetting.FindAllStringSubmatch(cell, -1) {
		names = append(names, found[1])
	}

	return names
}

const harmless = `_ BASH BASHOPTS BASH_ENV CDPATH COLORTERM COLUMNS DBUS_SESSION_BUS_ADDRESS DESKTOP_SESSION DISPLAY EDITOR EMAIL ENV GPG_TTY HISTFILE
HISTSIZE HOME HOST HOSTNAME HOSTTYPE IFS INVOCATION_ID LANG LANGUAGE LC_ALL LC_CTYPE LESS LESSOPEN LINES LOGNAME LS_COLORS MACHTYPE MAIL
MAKEFLAGS MAKELEVEL MAKEOVERRIDES MFLAGS MANPATH NAME NO_COLOR OLDPWD OS OSTYPE PAGER PATH PS1 PWD SHELL SHLVL SSH_AGENT_PID SSH_AUTH_SOCK SSH_CLIENT
SSH_CONNECTION SSH_TTY SYSTEMD_EXEC_PID TEMP TERM TERM_PROGRAM TMP TMPDIR TMUX TZ UID USER USERNAME VISUAL WAYLAND_DISPLAY WSL_DISTRO_NAME XAUTHORITY
XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_SESSION_ID ALLUSERSPROFILE APPDATA COMPUTERNAME COMSPEC ComSpec HOMEDRIVE HOMEPATH LOCALAPPDATA Path PATHEXT
PROCESSOR_ARCHITECTURE ProgramFiles PROMPT PUBLIC SystemRoot USERDOMAIN USERPROFILE windir CC CFLAGS CXX CXXFLAGS LDFLAGS GOPATH GOROOT GOFLAGS GOPROXY
GOCACHE GOMAXPROCS GORACE GODEBUG JAVA_HOME NODE_ENV NODE_OPTIONS NPM_TOKEN PYTHONPATH VIRTUAL_ENV CI BUILD BUILD_ID BUILD_NUMBER BUILD_TAG BUILD_URL
BRANCH_NAME CHANGE_ID EXECUTOR_NUMBER JENKINS_HOME JENKINS_URL JOB_NAME NODE_NAME NODE_LABELS STAGE_NAME WORKSPACE RUN_ID CI_COMMIT_SHA CI_COMMIT_TAG CI_JOB_ID
CI_JOB_NAME CI_JOB_STAGE CI_NODE_INDEX CI_NODE_TOTAL CI_PIPELINE_ID CI_PROJECT_DIR CI_REGISTRY CI_RUNNER_ID CI_SERVER GITLAB_CI GITHUB_ACTION GITHUB_ACTOR
GITHUB_ENV GITHUB_JOB GITHUB_REF GITHUB_RUN_ID GITHUB_SHA GITHUB_STEP_SUMMARY GITHUB_TOKEN GITHUB_WORKSPACE ImageOS RUNNER_ARCH RUNNER_NAME RUNNER_OS RUNNER_TEMP
RUNNER_TOOL_CACHE DRONE_TAG TRAVIS CIRCLECI CIRCLE_JOB CIRCLE_TAG BITBUCKET_BRANCH BITBUCKET_TAG AGENT_ID AGENT_NAME SYSTEM_JOBID TEAMCITY_VERSION KUBERNETES_PORT
KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT CONTAINER container DOCKER_HOST POD_NAME NAMESPACE HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy
MEMCACHED_PORT MEMCACHED_SERVICE_HOST MEMCACHED_SERVICE_PORT REDIS_PORT_6379_TCP REDIS_SERVICE_HOST NATS_PORT NATS_SERVICE_PORT
SOURCE_DATE_EPOCH DEBUG VERBOSE VERSION LOG_LEVEL PORT DATABASE_URL SECRET TOKEN
INFLUXDB_URL MACHBASE_PID MACHBASE_URL MEMCACHED_URL MEMCACHED_CONNECTIONS MEMCACHED_ITEM MEMCACHED_MEMORY MEMCACHED_PID MXGW_URL MXGW_CONTROL MXGW_FLAGS
MXGW_KEY MXGW_KEY_WITHOUT_READ MXGW_PID NATS_CONNECTIONS NATS_PID NATS_URL POGOCACHE_URL POSTGRES_PID POSTGRES_URL PROMETHEUS_PID PROMETHEUS_URL REDIS_CLUSTER REDIS_CONNECTIONS REDIS_MEMORY
REDIS_PID REDIS_URL UMEM_URL INFLUXDB_PID K6_SWEEP_INFLUXDB_TOKEN BENCH`

// ofStores matches the prefixes of settings without SWEEP_ in the environment.
var ofStores = regexp.MustCompile(`^(MACHBASE|MEMCACHED|UMEM|REDIS|POGOCACHE|NATS|MXGW|POSTGRES)_`)

// inspect returns k6's view of a scenario's options.
func inspect(t *testing.T, scenario string, environment []string, settings ...string) (out string, err error) {
	t.Helper()
	args := []string{"inspect", "--include-system-env-vars"}
	for _, setting := range settings {
		args = append(args, "-e", setting)
	}
	cmd := exec.CommandContext(t.Context(), withoutRace(t), append(args, script(scenario+".js"))...)
	cmd.Env = append(os.Environ(), "K6_AUTO_EXTENSION_RESOLUTION=false", "K6_NO_USAGE_REPORT=true")
	cmd.Env = append(cmd.Env, environment...)
	raw, err := cmd.CombinedOutput()

	return string(raw), err
}

func TestOtherVariablesAreIgnored(t *testing.T) {
	t.Parallel()
	settings := knownSettings(t)
	exported := map[string]bool{}
	all := slices.Concat(slices.Collect(maps.Values(settings))...)
	for _, name := range slices.Concat(all, strings.Fields(harmless)) {
		if _, is := os.LookupEnv(name); !is && (!ofStores.MatchString(name) || !slices.Contains(all, name)) {
			exported[name+"=of somebody else"] = true
		}
	}
	require.Greater(t, len(exported), 100)
	for name := range settings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var native []string
			if name == "stock-drivers" {
				native = append(native, "DRIVERS=native") // this k6 has no other
			}
			want, err := inspect(t, name, nil, native...)
			require.NoError(t, err, want)
			got, err := inspect(t, name, slices.Collect(maps.Keys(exported)), native...)
			require.NoError(t, err, got)
			require.Equal(t, want, got)
		})
	}
}

func TestSettingsOfTheEnvironment(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		environment, settings []string
		want                  string
	}{
		"SWEEP_":            {[]string{"SWEEP_CLIENTS=3", "CLIENTS=4"}, nil, `"clients": [ 3 ]`},
		"-e counts more":    {[]string{"SWEEP_CLIENTS=3", "CLIENTS=5"}, []string{"CLIENTS=5"}, `"clients": [ 5 ]`},
		"an empty one":      {[]string{"SWEEP_DURATION="}, []string{"ITERATIONS=7"}, `"iterations": 7`},
		"what is malformed": {[]string{"SWEEP_CLIENTS=x", "CLIENTS=4"}, nil, `CLIENTS must be integers from 1, with commas between them, such as 1,8,64, but is \"x\"`},
		"a slip":            {[]string{"SWEEP_CLIENT=3"}, nil, `nothing in the script reads the setting SWEEP_CLIENT; did you mean SWEEP_CLIENTS?`},
		"a store's slip":    {[]string{"MEMCACHED_ULR=x"}, nil, `nothing in the script reads the setting MEMCACHED_ULR; did you mean MEMCACHED_URL?`},
		"a store's, SWEEP_": {[]string{"SWEEP_MEMCACHED_URL=x"}, nil, `nothing in the script reads the setting SWEEP_MEMCACHED_URL; did you mean MEMCACHED_URL?`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := inspect(t, "cache-sweep", tt.environment, tt.settings...)
			require.Contains(t, strings.Join(strings.Fields(got), " "), tt.want)
		})
	}
}

func TestMisspeltSettings(t *testing.T) {
	t.Parallel()
	slips := map[string]string{
		"CLIENT": "CLIENTS", "CLINTS": "CLIENTS", "ITERATION": "ITERATIONS", "DURATON": "DURATION", "WARM_UP": "WARMUP", "REPEAT": "REPEATS",
		"REPETAS": "REPEATS", "MAXDURATION": "MAX_DURATION", "RESULT": "RESULTS", "MEMCACHED_ULR": "MEMCACHED_URL", "KEY": "KEYS",
		"VALUES": "VALUE", "clients": "CLIENTS", "TARGETS": "TARGET", "DISTIBUTOIN": "DISTRIBUTION",
	}
	for name, meant := range slips {
		out, err := inspect(t, "cache-sweep", nil, name+"=x")
		require.Error(t, err)
		require.Contains(t, out, "nothing in the script reads the setting "+name+"; did you mean "+meant+"?")
	}
	out, err := inspect(t, "stock-load", nil, "CLIENT=x")
	require.Error(t, err)
	require.Contains(t, out, "nothing in the script reads the setting CLIENT; its settings are MACHBASE_URL, DRIVER,")
}

func TestASlipEndsTheRunBeforeItBegins(t *testing.T) {
	t.Parallel()
	for script, slip := range map[string][2]string{
		"cache-sweep.js": {"CLIENT", "CLIENTS"}, "cache-hitrate.js": {"CLIENT", "CLIENTS"}, "natsjs-kv.js": {"ROW", "ROWS"}, "stock-ramp.js": {"RAMPS", "RAMP"},
		"stock-load.js": {"AHAED", "AHEAD"}, "stock-rollup.js": {"DURATOIN", "DURATION"}, "natsjs-kv-sweep.js": {"LAYOUTS", "LAYOUT"},
	} {
		r := refused(t, options{script: script, env: with(noMachbase, map[string]string{slip[0]: "4"})})
		require.Equal(t, exitInvalidConfig, r.code, r.output)
		require.Contains(t, r.output, "nothing in the script reads the setting "+slip[0]+"; did you mean "+slip[1]+"?")
	}
}

func TestSettingsOfAnyScript(t *testing.T) {
	t.Parallel()
	const body = `import { sleep } from 'k6';
		import sweep from 'k6/x/sweep';
		export default function () { sweep.run(() => sleep(Number(__ENV.MS || 1) / 1000)); }
		`
	const usual = body + `export const options = sweep.options({ scenario: 'nap', clients: [3], iterations: 5, warmup: '0s', pause: '0s' });`
	for name, tt := range map[string]struct {
		script string
		env    map[string]string
		code   int
		says   string
		steps  int
	}{
		"clients": {usual, map[string]string{"CLIENTS": "1,2", "ITERATIONS": "20"}, exitOK, "", 2},
		"rate":    {usual, map[string]string{"RATE": "50", "DURATION": "500ms"}, exitOK, "", 1},
		"its own": {usual, map[string]string{"MS": "2"}, exitOK, "", 1},
		"find":    {usual, map[string]string{"FIND": "p50<30s,max=2", "DURATION": "300ms"}, exitOK, "The highest number of clients that keeps p50 <= 30s", -1},
		"gate":    {usual, map[string]string{"GATE": "p50<30s", "ITERATIONS": "20"}, exitOK, "held.", 1},
		"crossed": {usual, map[string]string{"GATE": "p50<1ms", "ITERATIONS": "20", "MS": "5"}, exitThreshold, "gate ", 1},
		"a slip":  {usual, map[string]string{"CLINTS": "1"}, exitInvalidConfig, "nothing in the script reads the setting CLINTS; did you mean CLIENTS?", 0},
		"unknown": {usual, map[string]string{"COLOUR": "red"}, exitInvalidConfig, "nothing in the script reads the setting COLOUR; those of a sweep are BASE_NAME, CHANGE_NAME, CLIENTS,", 0},
		"a value": {usual, map[string]string{"CLIENTS": "many"}, exitInvalidConfig, `CLIENTS must be integers from 1`, 0},
		"its list": {
			body + `export const options = sweep.options({ scenario: 'nap', clients: __ENV.CLIENTS.split('+').map(Number), iterations: 5, warmup: '0s' });`,
			map[string]string{"CLIENTS": "1+2"}, exitOK, "", 2,
		},
		"no options": {
			body + `export const options = { scenarios: { nap: { executor: 'client-sweep', clients: [1], iterations: 5 } } };`,
			map[string]string{"CLIENTS": "1"}, exitInvalidConfig, "nothing in the script reads the setting CLIENTS; sweep.options({...}) does", 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := k6(t, options{script: userScript(t, "nap.js", tt.script), env: tt.env})
			require.Equal(t, tt.code, r.code, r.output)
			require.Contains(t, r.output, tt.says)
			if tt.steps > 0 {
				require.Len(t, r.report(t, "nap").Steps, tt.steps)
			}
			if tt.code == exitInvalidConfig {
				require.Len(t, r.lines(tt.says), 1, r.output)
				require.NotContains(t, r.output, "nap.js:", "there is no stack")
			}
		})
	}
}

// make CLIENTS=1 exports both names to each k6, even to one without such a setting.
func TestSettingsThatMakeExports(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "stock-load.js", env: noMachbase, environment: []string{"CLIENTS=1", "SWEEP_CLIENTS=1"}})
	require.Empty(t, r.lines("nothing in the script reads"), r.output)
	require.NotEmpty(t, r.lines("cannot connect to"), r.output)
}
