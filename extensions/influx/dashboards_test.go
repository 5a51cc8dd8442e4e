package influx

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

const grafana = "../../scripts/grafana"

type grafanaDashboard struct {
	UID    string
	Panels []struct {
		ID      int
		Type    string
		Title   string
		GridPos struct{ X, Y, W, H int }
		Targets []struct {
			Query, Expr string
			Datasource  struct{ UID string }
		}
	}
	Templating struct {
		List []struct {
			Name, Type string
			Query      json.RawMessage
		}
	}
}

func (d *grafanaDashboard) queries() (all []string) {
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			all = append(all, target.Query+target.Expr)
		}
	}
	for _, v := range d.Templating.List {
		if v.Type != "query" {
			continue
		}
		var text string
		var asked struct{ Query string }
		if json.Unmarshal(v.Query, &text) == nil || json.Unmarshal(v.Query, &asked) == nil {
			all = append(all, text+asked.Query)
		}
	}

	return all
}

func readDashboard(t *testing.T, store string) *grafanaDashboard {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(grafana, "dashboards", store+".json"))
	require.NoError(t, err)
	d := &grafanaDashboard{}
	require.NoError(t, json.Unmarshal(raw, d))
	require.NotEmpty(t, d.queries())

	return d
}

func written(t *testing.T) map[string]bool {
	t.Helper()
	rate := 75.0
	of := step()
	of.Rate = 100
	lines, err := newPoints(nil, "tuned").lines(&stream.Figures{
		Step: of, At: noon,
		Seconds: []stream.Second{{
			Phase: stream.Measure, Elapsed: time.Second, Op: "get", Ops: 1, Durations: oneMillisecond, BytesSent: 1,
			Counters: measure.Counters{measure.Hits: 1},
		}},
		Ended: []report.Step{{Op: "get", Operations: 1, Extra: report.Extra{HitRate: &rate}}},
	})
	require.NoError(t, err)
	require.Len(t, lines, 2)
	names := map[string]bool{}
	for _, line := range lines {
		series, rest, _ := strings.Cut(string(line), " ")
		fields, _, _ := strings.Cut(rest, " ")
		measurement, tags, _ := strings.Cut(series, ",")
		names[measurement] = true
		for pair := range strings.SplitSeq(tags+","+fields, ",") {
			name, _, _ := strings.Cut(pair, "=")
			names[name] = true
		}
	}

	return names
}

var (
	inQuotes   = regexp.MustCompile(`"([a-z_0-9]+)"`)
	columnName = regexp.MustCompile(`AS "[^"]*"`)
	halfOfBoth = regexp.MustCompile(`"(?:chosen|baseline)_`)
)

func TestInfluxDBDashboardUsesWrittenNames(t *testing.T) {
	t.Parallel()
	names := written(t)
	for _, query := range readDashboard(t, "influxdb").queries() {
		asked := inQuotes.FindAllStringSubmatch(halfOfBoth.ReplaceAllString(columnName.ReplaceAllString(query, ""), `"`), -1)
		require.Greater(t, len(asked), 1, query)
		for _, name := range asked {
			require.True(t, names[name[1]], "%s asks for %s, and nothing has that name", query, name[1])
		}
	}
}

func TestOtherDashboardsUseExistingMetrics(t *testing.T) {
	t.Parallel()
	registry := metrics.NewRegistry()
	_, err := stream.Register(registry)
	require.NoError(t, err)
	metrics.RegisterBuiltinMetrics(registry)
	prometheusName := regexp.MustCompile(`\bk6_(\w+?)(_total)?\{`)
	for _, query := range readDashboard(t, "prometheus").queries() {
		if strings.Contains(query, `__name__=~`) { // hits and misses of all caches
			continue
		}
		asked := prometheusName.FindAllStringSubmatch(query, -1)
		require.NotEmpty(t, asked, query)
		for _, name := range asked {
			m := registry.Get(name[1])
			require.NotNil(t, m, "%s asks for %s, which is no metric", query, name[1])
			require.Equal(t, m.Type == metrics.Counter, name[2] == "_total", "%s: %s is a %s", query, name[1], m.Type)
		}
	}

	raw, err := os.ReadFile(filepath.Join(grafana, "k6-dashboard.json"))
	require.NoError(t, err)
	asked := regexp.MustCompile(`"query": "(\w+)\[`).FindAllStringSubmatch(string(raw), -1)
	require.Len(t, asked, strings.Count(string(raw), `"query"`))
	for _, name := range asked {
		require.NotNil(t, registry.Get(name[1]), "%s is no metric", name[1])
	}
}

func TestDashboardsMatch(t *testing.T) {
	t.Parallel()
	const gridWidth = 24
	own := []string{"timeFilter", "__interval", "__interval_ms", "__rate_interval", "__range"}
	variable := regexp.MustCompile(`\$\{?([A-Za-z_]+)`)
	panels := map[string][]string{}
	for _, store := range []string{"influxdb", "prometheus"} {
		d := readDashboard(t, store)
		require.Equal(t, "xk6-sweep-"+store, d.UID, "links know the dashboard by it")
		var names []string
		for _, v := range d.Templating.List {
			names = append(names, v.Name)
		}
		ids, taken := map[int]bool{}, map[[2]int]string{}
		for _, p := range d.Panels {
			panels[store] = append(panels[store], p.Type+" "+p.Title)
			require.False(t, ids[p.ID], "%s: two panels have the id %d", store, p.ID)
			ids[p.ID] = true
			require.LessOrEqual(t, p.GridPos.X+p.GridPos.W, gridWidth, "%s: %s", store, p.Title)
			for x := range p.GridPos.W {
				for y := range p.GridPos.H {
					at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
					require.Empty(t, taken[at], "%s: %q covers another panel", store, p.Title)
					taken[at] = p.Title
				}
			}
			require.Equal(t, p.Type != "row", len(p.Targets) > 0, "%s: the queries of %q", store, p.Title)
			for _, target := range p.Targets {
				require.Equal(t, "${datasource}", target.Datasource.UID, "%s: %q", store, p.Title)
			}
		}
		for _, query := range d.queries() {
			for _, found := range variable.FindAllStringSubmatch(query, -1) {
				require.True(t, slices.Contains(names, found[1]) || slices.Contains(own, found[1]), "%s: there is no $%s in %s", store, found[1], query)
			}
		}
	}
	require.Equal(t, panels["influxdb"], panels["prometheus"])
}
