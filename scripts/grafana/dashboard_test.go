package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestFilesAreUpToDate(t *testing.T) {
	for _, s := range stores() {
		want, err := encode(dashboard(s))
		if err != nil {
			t.Fatal(err)
		}
		have, err := os.ReadFile(filepath.Join("dashboards", s.file))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, have) {
			t.Errorf("dashboards/%s is not what this program writes: run go generate in scripts/grafana", s.file)
		}
	}
}

func TestNothingElseIsInTheFolder(t *testing.T) {
	files, err := os.ReadDir("dashboards")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !slices.ContainsFunc(stores(), func(s store) bool { return s.file == file.Name() }) {
			t.Errorf("dashboards/%s is no store's", file.Name())
		}
	}
}

// read is what the tests look at in a dashboard's file.
type read struct {
	UID           string
	SchemaVersion int
	Panels        []struct {
		ID      int
		Type    string
		Title   string
		GridPos struct{ X, Y, W, H int }
		Targets []struct {
			RefID       string
			Query, Expr string
			Datasource  struct{ Type, UID string }
		}
		FieldConfig struct {
			Defaults  struct{ Unit string }
			Overrides []struct {
				Matcher    struct{ Options string }
				Properties []struct{ ID string }
			}
		}
	}
	Templating struct{ List []struct{ Name, Type string } }
}

func readAll(t *testing.T) map[string]read {
	t.Helper()
	all := map[string]read{}
	for _, s := range stores() {
		raw, err := os.ReadFile(filepath.Join("dashboards", s.file))
		if err != nil {
			t.Fatal(err)
		}
		var r read
		if err := json.Unmarshal(raw, &r); err != nil {
			t.Fatal(err)
		}
		all[s.file] = r
	}

	return all
}

func TestUIDsStayAsTheyAre(t *testing.T) {
	for file, uid := range map[string]string{"influxdb.json": "xk6-sweep-influxdb", "prometheus.json": "xk6-sweep-prometheus"} {
		if have := readAll(t)[file].UID; have != uid {
			t.Errorf("%s has the uid %q: links and provisioned dashboards know it as %q", file, have, uid)
		}
	}
}

func TestPanels(t *testing.T) {
	for file, d := range readAll(t) {
		ids, taken := map[int]bool{}, map[[2]int]string{}
		for _, p := range d.Panels {
			if ids[p.ID] {
				t.Errorf("%s: two panels have the id %d", file, p.ID)
			}
			ids[p.ID] = true
			for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
				for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
					if other := taken[[2]int{x, y}]; other != "" || x >= gridWidth {
						t.Fatalf("%s: %q lies over %q, or beside the grid", file, p.Title, other)
					}
					taken[[2]int{x, y}] = p.Title
				}
			}
			if p.Type == "row" {
				continue
			}
			if len(p.Targets) == 0 {
				t.Errorf("%s: %q asks nothing", file, p.Title)
			}
			if p.Type == "table" && len(p.FieldConfig.Overrides) < 4 || p.Type != "table" && p.FieldConfig.Defaults.Unit == "" {
				t.Errorf("%s: %q shows figures without units", file, p.Title)
			}
		}
	}
}

var grafanaVariable = regexp.MustCompile(`\$\{?([A-Za-z_]+)`)

func TestQueriesUseVariablesThatAreThere(t *testing.T) {
	own := []string{"timeFilter", "__interval", "__interval_ms", "__rate_interval", "__range"}
	for file, d := range readAll(t) {
		var names []string
		for _, v := range d.Templating.List {
			names = append(names, v.Name)
		}
		for _, p := range d.Panels {
			for _, target := range p.Targets {
				if target.Datasource.UID != "${datasource}" {
					t.Errorf("%s: %q asks %q, not the data source that was chosen", file, p.Title, target.Datasource.UID)
				}
				for _, found := range grafanaVariable.FindAllStringSubmatch(target.Query+target.Expr, -1) {
					if !slices.Contains(names, found[1]) && !slices.Contains(own, found[1]) {
						t.Errorf("%s: %q uses $%s, which is not there", file, p.Title, found[1])
					}
				}
			}
		}
	}
}

func TestAllStoresShowTheSamePanels(t *testing.T) {
	var titles []string
	for file, d := range readAll(t) {
		var have []string
		for _, p := range d.Panels {
			have = append(have, p.Type+" "+p.Title)
		}
		if titles == nil {
			titles = have
		}
		if !slices.Equal(titles, have) {
			t.Errorf("%s has the panels\n%s\nand another\n%s", file, strings.Join(have, "\n"), strings.Join(titles, "\n"))
		}
	}
}
