package e2e

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type grafanaQuery struct {
	of, text string
	instant  bool
}

func grafanaQueries(t *testing.T, file string, variables ...string) (all []grafanaQuery) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, "scripts", "grafana", "dashboards", file))
	require.NoError(t, err)
	var d struct {
		Panels []struct {
			Title   string
			Targets []struct {
				Query, Expr string
				Instant     bool
			}
		}
		Templating struct {
			List []struct {
				Name, Type string
				Query      json.RawMessage
			}
		}
	}
	require.NoError(t, json.Unmarshal(raw, &d))
	fill := strings.NewReplacer(variables...)
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			all = append(all, grafanaQuery{of: p.Title, text: fill.Replace(target.Query + target.Expr), instant: target.Instant})
		}
	}
	for _, v := range d.Templating.List {
		if v.Type != "query" {
			continue
		}
		var text string
		var asked struct{ Query string }
		if json.Unmarshal(v.Query, &text) != nil {
			require.NoError(t, json.Unmarshal(v.Query, &asked))
		}
		all = append(all, grafanaQuery{of: "the variable " + v.Name, text: fill.Replace(text + asked.Query)})
	}
	require.NotEmpty(t, all)

	return all
}

func getJSON(t *testing.T, address string, query url.Values, into any) {
	t.Helper()
	response, err := http.Get(address + "?" + query.Encode())
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusOK, response.StatusCode, "%s %s", address, query)
	require.NoError(t, json.NewDecoder(response.Body).Decode(into))
}

func askInfluxDB(t *testing.T, address, run string) {
	t.Helper()
	server, err := url.Parse(address)
	require.NoError(t, err)
	database := strings.Trim(server.Path, "/")
	server.Path = "/query"
	for _, q := range grafanaQueries(t, "influxdb.json", "$timeFilter", "time > now() - 1h", "$__interval_ms", "1000", "$__interval", "1s",
		"${scenario:regex}", "cache-sweep", "${instance:regex}", run, "${baseline:regex}", run, "${op:regex}", ".+", "${clients:regex}", ".+") {
		var said struct {
			Results []struct {
				Error  string
				Series []struct{ Values [][]any }
			}
		}
		getJSON(t, server.String(), url.Values{"db": {database}, "q": {q.text}}, &said)
		require.Len(t, said.Results, 1, q.of)
		require.Empty(t, said.Results[0].Error, "%s: %s", q.of, q.text)
		require.NotEmpty(t, said.Results[0].Series, "%s: %s", q.of, q.text)
	}
}

func askPrometheus(t *testing.T, server, run string) {
	t.Helper()
	values := regexp.MustCompile(`^label_values\((.*), (\w+)\)$`)
	for _, q := range grafanaQueries(t, "prometheus.json", "$__rate_interval", "4s", "$__range", "1h",
		"$scenario", "cache-sweep", "$baseline", run, "$instance", run, "$op", ".+", "$clients", ".+") {
		if parts := values.FindStringSubmatch(q.text); parts != nil {
			var said struct{ Data []string }
			getJSON(t, server+"/api/v1/label/"+parts[2]+"/values", url.Values{"match[]": {parts[1]}}, &said)
			require.NotEmpty(t, said.Data, "%s: %s", q.of, q.text)

			continue
		}
		if !q.instant {
			q.text = "last_over_time((" + q.text + ")[1h:1s])"
		}
		var said struct {
			Data struct{ Result []struct{ Value [2]any } }
		}
		getJSON(t, server+"/api/v1/query", url.Values{"query": {q.text}}, &said)
		require.NotEmpty(t, said.Data.Result, "%s: %s", q.of, q.text)
	}
}
