package main

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// The run "a/1 (new)" does 2000 and 3000 operations a second with 1 and 8 clients, and the run
// "base" 1000 and 2000. Names are such that they must be escaped. Of each second's operations a
// quarter misses.
const (
	newRun  = "a/1 (new)"
	baseRun = "base"
)

func rate(run string, clients int) int {
	rates := map[string]map[int]int{newRun: {1: 2000, 8: 3000}, baseRun: {1: 1000, 8: 2000}}

	return rates[run][clients]
}

// points are those of both runs in the line protocol: 3 seconds of each step, a second of its
// warm-up, and its end.
func points(scenario string, began time.Time) string {
	var lines strings.Builder
	escape := strings.NewReplacer(" ", `\ `, ",", `\,`, "=", `\=`).Replace
	at := began
	for _, run := range []string{baseRun, newRun} {
		for _, clients := range []int{1, 8} {
			n := rate(run, clients)
			tags := fmt.Sprintf("scenario=%s,clients=%d,op=get,instance=%s,repeat=1,target=memcached", scenario, clients, escape(run))
			fields := func(seconds int) string {
				return fmt.Sprintf("ops=%di,failed=%di,ops_per_second=%d,p50=%d,p90=2,p95=3,p99=4,p999=5,max=6,mean=1.5,clients_done=0i,bytes_sent=%di,bytes_received=7i,hits=%di,misses=%di",
					n*seconds, 2*seconds, n, clients, 100*seconds, 3*n*seconds/4, n*seconds/4)
			}
			for second := range 4 {
				phase := "measure"
				if second == 0 {
					phase = "warmup"
				}
				at = at.Add(time.Second)
				fmt.Fprintf(&lines, "sweep,%s,phase=%s %s %d\n", tags, phase, fields(1), at.UnixNano())
			}
			fmt.Fprintf(&lines, "sweep_step,%s,phase=measure %s,seconds=3,complete=true,hit_rate=0.75 %d\n", tags, fields(3), at.UnixNano())
		}
	}

	return lines.String()
}

// writePoints writes them to the InfluxDB of `scripts/servers.sh with influxdb`, and returns what
// asks for them.
func writePoints(t *testing.T) choice {
	t.Helper()
	server, err := url.Parse(os.Getenv("INFLUXDB_URL"))
	if err != nil || server.Host == "" {
		t.Fatal("run the tests with `make test`, or as scripts/servers.sh with influxdb -- go test ./...")
	}
	database := strings.Trim(server.Path, "/")
	server.Path, server.RawQuery = "/write", url.Values{"db": {database}}.Encode()
	began := time.Now().Add(-time.Minute).Truncate(time.Second)
	scenario := fmt.Sprintf("dashboards-%d", time.Now().UnixNano())
	response, err := http.Post(server.String(), "text/plain", strings.NewReader(points(scenario, began)))
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusNoContent {
		t.Fatal(response.Status)
	}
	run, base := newRun, baseRun

	return choice{Scenario: &scenario, Instance: &run, Baseline: &base, From: began, To: time.Now()}
}

func askAll(t *testing.T, chosen choice) map[string]answer {
	t.Helper()
	asker, err := newAsker(os.Getenv("INFLUXDB_URL"), "")
	if err != nil {
		t.Fatal(err)
	}
	answers, err := asker.all(chosen)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]answer{}
	for _, a := range answers {
		all[a.of] = a
	}

	return all
}

// column are the values of a column of the series with the clients.
func (a answer) column(clients, name string) []float64 {
	var found []float64
	for _, s := range a.series {
		at, of := slices.Index(s.columns, name), slices.Index(s.columns, "clients")
		for _, row := range s.rows {
			if s.tags["clients"] == clients || of >= 0 && row[of] == clients {
				found = append(found, row[at].(float64))
			}
		}
	}

	return found
}

func TestEveryQueryOfInfluxDB(t *testing.T) {
	all := askAll(t, writePoints(t))
	for _, want := range []struct {
		query, clients, column string
		values                 []float64
	}{
		{"Operations a second, query A", "8", "ops/s", []float64{3000, 3000, 3000}},
		{"Latency, query A", "8", "p50", []float64{8, 8, 8}},
		{"Latency, query A", "1", "p99", []float64{4, 4, 4}},
		{"Latency, query A", "1", "p99.9", []float64{5, 5, 5}},
		{"Failed operations a second, query A", "8", "failed", []float64{2, 2, 2}},
		{"Hit rate, query A", "1", "hit rate", []float64{0.75, 0.75, 0.75}},
		{"Bytes a second, query A", "8", "sent", []float64{100, 100, 100}},
		{"Bytes a second, query A", "8", "received", []float64{7, 7, 7}},
		{"Operations a second against clients, query A", "1", "ops/s", []float64{2000}},
		{"Latency against clients, query A", "8", "p50", []float64{8}},
		{"Latency against clients, query A", "8", "p99.9", []float64{5}},
		{"Steps, query A", "8", "ops/s", []float64{3000}},
		{"Steps, query A", "8", "failed", []float64{6}},
		{"Steps, query A", "1", "hit rate", []float64{0.75}},
		{"Operations a second of both, query A", "1", "ops/s", []float64{2000, 1000}},
		{"p99 of both, query A", "1", "p99", []float64{4, 4}},
		{"Change against $baseline, query A", "1", "ops/s", []float64{1}},
		{"Change against $baseline, query A", "8", "ops/s", []float64{0.5}},
		{"Change against $baseline, query A", "8", "p50", []float64{0}},
	} {
		if have := all[want.query].column(want.clients, want.column); !slices.Equal(have, want.values) {
			t.Errorf("%s: %s with %s clients is %v, not %v", want.query, want.column, want.clients, have, want.values)
		}
	}
	for _, a := range all {
		if a.values() == 0 {
			t.Errorf("%s has brought nothing", a.of)
		}
	}
}

func TestValuesOfVariables(t *testing.T) {
	all := askAll(t, writePoints(t))
	for variable, want := range map[string][]string{
		"instance": {newRun, baseRun}, "baseline": {newRun, baseRun}, "op": {"get"}, "clients": {"1", "8"},
	} {
		have := map[string]bool{}
		for _, s := range all["the variable "+variable].series {
			for _, row := range s.rows {
				have[row[1].(string)] = true
			}
		}
		if sorted := slices.Sorted(maps.Keys(have)); !slices.Equal(sorted, want) {
			t.Errorf("%s can be %v, not %v", variable, sorted, want)
		}
	}
}

func TestAsk(t *testing.T) {
	chosen := writePoints(t)
	address := os.Getenv("INFLUXDB_URL")
	var out bytes.Buffer
	err := run([]string{"ask", "-influxdb", address, "-scenario", *chosen.Scenario, "-instance", newRun, "-baseline", baseRun}, &out)
	if err != nil || !strings.Contains(out.String(), "  Hit rate, query A\n") {
		t.Errorf("%v\n%s", err, &out)
	}
	for says, args := range map[string][]string{
		"have brought nothing":             {"ask", "-influxdb", address, "-scenario", "none", "-instance", newRun},
		"-influxdb must be":                {"ask", "-influxdb", "127.0.0.1", "-scenario", "s", "-instance", "i"},
		"-prometheus must be":              {"ask", "-prometheus", "/", "-scenario", "s", "-instance", "i"},
		"one of -influxdb and -prometheus": {"ask", "-scenario", "s", "-instance", "i"},
		"-scenario and -instance":          {"ask", "-influxdb", address},
		"it is one of write, ask and page": {"paint"},
		"what to do?":                      {},
		"database not found: no":           {"ask", "-influxdb", strings.TrimSuffix(address, "/sweep") + "/no", "-scenario", "s", "-instance", "i"},
	} {
		if err := run(args, &out); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: the error is %v, without %q", args, err, says)
		}
	}
}

// What a Prometheus answers is tested with a real one, and k6, in extensions/cmd/k6/e2e.
func TestPrometheusThatAnswersNonsense(t *testing.T) {
	for body, says := range map[string]string{
		`{"data":{"result":[{"value":[1]}]}}`:          "is no sample",
		`{"data":{"result":[{"value":[1,2]}]}}`:        "is no sample",
		`{"data":{"result":[{"values":[["1","2"]]}]}}`: "is no sample",
		`{"data":{"result":[{"values":[[1,"two"]]}]}}`: "is no sample",
		`[]`: "cannot unmarshal",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }))
		_, err := askProm(server.URL, url.Values{})
		server.Close()
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: the error is %v, without %q", body, err, says)
		}
	}
	row, err := promSample([]any{1.5, "NaN"})
	if err != nil || row[0] != 1500.0 || row[1] != nil {
		t.Errorf("%v %v: NaN is no value", row, err)
	}
	if row, err := promSample([]any{1.5, "+Inf"}); err != nil || !math.IsInf(row[1].(float64), 1) {
		t.Errorf("%v %v", row, err)
	}
}
