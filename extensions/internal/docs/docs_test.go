package docs

import (
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func pages(t *testing.T) []Page {
	t.Helper()
	all, err := Pages(root)
	require.NoError(t, err)
	require.Greater(t, len(all), 10)

	return all
}

func page(name, text string) Page { return Page{Path: name, Lines: strings.Split(text, "\n")} }

func brokenLinks(p Page, all []Page) (broken []string) {
	for _, targets := range p.Links() {
		for _, target := range targets {
			address, err := url.Parse(target)
			if err == nil && address.Scheme != "" {
				continue
			}
			name, anchor, _ := strings.Cut(target, "#")
			file := path.Join(path.Dir(p.Path), name)
			if name == "" {
				file = p.Path
			}
			at := slices.IndexFunc(all, func(other Page) bool { return other.Path == file })
			there := at >= 0 || exists(file)
			if anchor != "" {
				there = at >= 0 && slices.Contains(all[at].Anchors(), anchor)
			}
			if !there {
				broken = append(broken, target)
			}
		}
	}

	return broken
}

func TestLinksExist(t *testing.T) {
	all := pages(t)
	for _, p := range all {
		require.Empty(t, brokenLinks(p, all), p.Path)
	}
}

func TestBrokenLinksAreFound(t *testing.T) {
	other := page("scripts/OTHER.md", "# Other\n\n## What 100,000 clients need\n\n### k6's own `output` and [a link](x)")
	all := []Page{other}
	for text, broken := range map[string][]string{
		"[a](OTHER.md)": nil,
		"[a](OTHER.md#other) [b](OTHER.md#what-100000-clients-need)": nil,
		"[a](OTHER.md#k6s-own-output-and-a-link)":                    nil,
		"[a](../Makefile) [b](https://k6.io) ![c](grafana)":          nil,
		"`[a](nowhere)`":         nil,
		"```\n[a](nowhere)\n```": nil,
		"[a](OTHER.md#others)":   {"OTHER.md#others"},
		"![a](nowhere.png)":      {"nowhere.png"},
		"[a](#here)":             {"#here"},
		"[a](Makefile)":          {"Makefile"},
	} {
		require.Equal(t, broken, brokenLinks(page("scripts/PAGE.md", text), all), text)
	}
}

func TestCommandsUseExistingNames(t *testing.T) {
	c := newChecker(t)
	commands := 0
	for _, p := range pages(t) {
		for _, command := range p.Commands() {
			require.Empty(t, c.faults(command), "%s:%d: %q", command.Page, command.Line, command.Words)
			commands++
		}
	}
	require.Greater(t, commands, 80)
}

func TestCommandsInScriptsUseExistingNames(t *testing.T) {
	c := newChecker(t)
	commands := 0
	for _, pattern := range []string{"scenarios/*.js", "examples/*.js", "extensions/*/examples/*.js"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		for _, file := range files {
			name, err := filepath.Rel(root, file)
			require.NoError(t, err)
			for _, command := range CommandsIn(filepath.ToSlash(name), read(t, name)) {
				require.Empty(t, c.faults(command), "%s:%d: %q", command.Page, command.Line, command.Words)
				commands++
			}
		}
	}
	require.Greater(t, commands, 30)
	require.Equal(t, []Command{{Page: "a.js", Line: 2, Environment: []string{"X"}, Words: []string{"k6", "run", "a.js"}}},
		CommandsIn("a.js", "// Text.\n//   X=1 k6 run a.js\n// more"))
}

func TestFaultsOfCommandsAreFound(t *testing.T) {
	c := newChecker(t)
	for line, fault := range map[string]string{
		"make build test lint":                                                                  "",
		"make stock-rollups":                                                                    "there is no target stock-rollups",
		"make stock-rollup OBS=10":                                                              "make reads no OBS",
		"make bench BENCH=redis,nuts FOR=1m":                                                    "scripts/bench has no nuts",
		`make bench BENCH_FLAGS="-klients 8"`:                                                   "scripts/bench has no option -klients",
		"bin/k6 run scenarios/stock-roll.js":                                                    "there is no scenarios/stock-roll.js",
		"bin/k6 run scenarios/NAME.js -e X=1":                                                   "",
		"k6 run scenarios/stock-tick.js -e TPS=2":                                               "scenarios/stock-tick.js does not read TPS",
		"bin/k6 run -e GATES=../thresholds/none.json scenarios/stock-tick.js":                   "there is no ../thresholds/none.json",
		"bash -c 'bin/k6 run examples/http.js -e BASE=1'":                                       "examples/http.js does not read BASE",
		"bin/k6 run examples/http.js -e BASE=1":                                                 "examples/http.js does not read BASE",
		"scripts/servers.sh with memcache -- make build":                                        "there is no server memcache",
		"scripts/servers.sh with memcached -- make bulid":                                       "there is no target bulid",
		"scripts/servers.sh upp memcached":                                                      "servers.sh has no upp",
		"scripts/distributed.sh --prats 4 -- scenarios/cache-sweep.js -e CLIENTS=1":             "scripts/distributed.sh has no option --prats",
		"scripts/distributed.sh --parts 4 -- scenarios/cache-sweep.js -e CODE=1":                "scenarios/cache-sweep.js does not read CODE",
		"docker compose -f scripts/docker/compose.yml run --rm k6 run scenarios/cache-sweep.js": "there is no scripts/docker/compose.yml",
		"docker run --rm xk6-sweep run scenarios/cache-swep.js":                                 "there is no scenarios/cache-swep.js",
		"export MACHBASE_URI=x":                                                                 "nobody reads the variable MACHBASE_URI",
		"MEMCACHED_MEMRY=1 scripts/servers.sh env":                                              "nobody reads the variable MEMCACHED_MEMRY",
		"go test -C extension ./...":                                                            "there is no extension",
		"zsh build":                                                                             "zsh is not known",
		"make build && make bulid":                                                              "there is no target bulid",
		"make \\\n  bulid":                                                                      "there is no target bulid",
	} {
		var faults []string
		for _, command := range page("README.md", "```sh\n"+line+"\n```").Commands() {
			faults = append(faults, c.faults(command)...)
		}
		require.Equal(t, fault, strings.Join(faults, "; "), line)
	}
	require.Len(t, page("README.md", "say `make nothing` or `- run: make`").Commands(), 1)
	require.Len(t, page("README.md", "```yaml\n- run: make gate # the change\nscript: make gate\n```").Commands(), 2)
}

// Our settings and variables on the page about other tools exist.
func TestSettingsForOtherToolsExist(t *testing.T) {
	c := newChecker(t)
	ofOutput := strings.ToLower(read(t, "extensions/influx/config.go"))
	checked := 0
	for line := range strings.Lines(read(t, "scenarios/coming-from.md")) {
		cells := strings.Split(line, " | ")
		for _, name := range regexp.MustCompile("[`{,= ]([A-Z][A-Z_]+)[=`]").FindAllStringSubmatch(cells[len(cells)-1], -1) {
			known := name[1] == "GOMAXPROCS"
			for _, settings := range c.settings {
				known = known || slices.Contains(settings, name[1])
			}
			if output, found := strings.CutPrefix(name[1], "K6_SWEEP_INFLUXDB_"); found {
				known = strings.Contains(ofOutput, `"`+strings.ToLower(strings.ReplaceAll(output, "_", ""))+`":`)
			}
			require.True(t, known, "%s: %s", name[1], line)
			checked++
		}
	}
	require.Greater(t, checked, 50)
}

// Tables and code blocks are exempt, because they cannot be wrapped.
func TestLinesOfPagesAreShort(t *testing.T) {
	for _, p := range pages(t) {
		for i, line := range p.Text() {
			if !strings.HasPrefix(strings.TrimSpace(line), "|") {
				require.LessOrEqual(t, len([]rune(line)), 160, "%s:%d", p.Path, i+1)
			}
		}
	}
}

func TestSectionsOfTheChangeLogAreShort(t *testing.T) {
	sections := strings.Split(read(t, ".github/CHANGELOG.md"), "\n## ")[1:]
	require.NotEmpty(t, sections)
	for _, section := range sections {
		heading, text, _ := strings.Cut(section, "\n")
		require.Regexp(t, `^\d+\.\d+\.\d+$`, heading)
		require.LessOrEqual(t, strings.Count(text, "\n"), 80, heading)
	}
}

func TestFrontPageIsShort(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(read(t, "README.md"), "\n"), "\n")
	require.LessOrEqual(t, len(lines), 150)
	picture := read(t, ".github/page.png")
	require.True(t, strings.HasPrefix(picture, "\x89PNG"))
	require.Less(t, len(picture), 150_000)
}

func TestDependenciesAreExplained(t *testing.T) {
	_, table, found := strings.Cut(read(t, ".github/CONTRIBUTING.md"), "| dependency | why |\n")
	require.True(t, found)
	required := regexp.MustCompile(`(?m)^\s+(\S+) (v\S+)( // indirect)?$`)
	for _, file := range []string{"go.mod", "extensions/cmd/k6/go.mod", "extensions/sql/go.mod"} {
		for _, module := range required.FindAllStringSubmatch(read(t, file), -1) {
			name, version := module[1], module[2]
			if module[3] != "" || strings.HasPrefix(name, "github.com/xk6-sweep/") {
				continue
			}
			named := regexp.MustCompile(regexp.QuoteMeta(name) + `[ ,|]|[( ]` + regexp.QuoteMeta(path.Base(name)) + `[,)]`)
			require.True(t, named.MatchString(table), "%s, which %s asks for, is not in it", name, file)
			if said := regexp.MustCompile(regexp.QuoteMeta(name) + ` (v[^\s,|]+)`).FindStringSubmatch(table); said != nil {
				require.Equal(t, version, said[1], "%s in %s", name, file)
			}
		}
	}
}

// Programs write the marked parts of the front page. Each figure in or outside them must also be on
// a page of figures.
func TestFiguresOfFrontPageAreMeasured(t *testing.T) {
	front, figures := read(t, "README.md"), read(t, "scenarios/figures.md")+read(t, "scripts/bench/README.md")
	marked := regexp.MustCompile(`(?s)<!-- ([a-z-]+) -->\n.*?<!-- /([a-z-]+) -->\n`)
	parts := marked.FindAllString(front, -1)
	require.NotEmpty(t, parts)
	number := regexp.MustCompile(`\b\d+\.\d+\b|\b\d+ (?:ns|us|ms|MB)\b`)
	for _, part := range parts {
		if !strings.HasPrefix(part, "<!-- bench -->") { // skips the bench part: its sentence is in no table, but its ratios are
			require.Contains(t, figures, part)
		}
		for _, figure := range number.FindAllString(part, -1) {
			require.Contains(t, figures, figure)
		}
	}
	rest := strings.Join(page("README.md", marked.ReplaceAllString(front, "")).Text(), "\n")
	for _, figure := range number.FindAllString(rest, -1) {
		if figure != "1.26" { // the Go version
			require.Contains(t, figures, figure)
		}
	}
}
