package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// leastStreamed is the part of its operations a second that a sweep has to keep while it streams to
// InfluxDB.
const leastStreamed = 0.97

// streamedFor is how long each run is measured: what is streamed goes out once a second.
const streamedFor = 3 * time.Second

// streamed are the medians of a sweep of memcached with and without streaming, for one number of
// clients.
type streamed struct {
	clients, rounds int
	with, without   figures
}

// streaming is the whole table.
type streaming struct {
	all []*streamed
}

func measureStreaming(e *effort) (result, error) {
	s := &streaming{}
	for _, clients := range []int{8, 64} {
		medians, n, err := inTurns(e, strconv.Itoa(clients), clients, streams(clients), plainRun(clients))
		if err != nil {
			return nil, err
		}
		if n > 0 {
			s.all = append(s.all, &streamed{clients: clients, rounds: n, with: medians[0], without: medians[1]})
		}
	}

	return s, nil
}

func plainRun(clients int) func() (figures, error) {
	return func() (figures, error) {
		return stepFigures("scenarios/cache-sweep.js", "cache-sweep", map[string]string{
			"TARGET": "memcached", "CLIENTS": strconv.Itoa(clients), "DURATION": streamedFor.String(), "WARMUP": warmup,
			"MIX": "get:1", "KEYS": cacheKeys, "VALUE": "100",
		})
	}
}

// streamTarget is a database of its own in the InfluxDB at INFLUXDB_URL.
type streamTarget struct{ server, database string }

func newStreamTarget(address string) (*streamTarget, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, errors.New("INFLUXDB_URL must be the address of an InfluxDB 1, such as http://host:port/database")
	}
	u.Path, u.RawQuery = "", ""

	return &streamTarget{server: u.String(), database: fmt.Sprintf("ratios_%d", os.Getpid())}, nil
}

// streams is the same run as plainRun, with streaming, of which each second has to be there. K6_OUT
// is k6's own way to name an output in the environment.
func streams(clients int) func() (figures, error) {
	return func() (f figures, err error) {
		target, err := newStreamTarget(os.Getenv("INFLUXDB_URL"))
		if err != nil {
			return figures{}, err
		}
		if err := os.Setenv("K6_OUT", "sweep-influxdb="+target.server+"/"+target.database); err != nil {
			return figures{}, err
		}
		defer func() {
			_ = os.Unsetenv("K6_OUT")
			_, _ = target.ask("DROP DATABASE " + target.database) // it is in nobody's way
		}()
		if f, err = plainRun(clients)(); err != nil {
			return f, err
		}
		points, err := target.points()
		if least := int(streamedFor.Seconds()); err == nil && points < least {
			err = fmt.Errorf("InfluxDB has %d points, and not the %d of each second", points, least)
		}

		return f, err
	}
}

// points is how many there are by now.
func (s *streamTarget) points() (int, error) {
	answer, err := s.ask("SELECT count(ops) FROM sweep WHERE phase='measure'")
	if err != nil {
		return 0, err
	}

	return countOf(answer)
}

func (s *streamTarget) ask(query string) (*influxAnswer, error) {
	response, err := http.PostForm(s.server+"/query", url.Values{"db": {s.database}, "q": {query}})
	if err != nil {
		return nil, err
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	answer := &influxAnswer{}

	return answer, json.NewDecoder(response.Body).Decode(answer)
}

// influxAnswer is what is read of InfluxDB's answer to a query.
type influxAnswer struct {
	Results []struct {
		Series []struct {
			Values [][]any `json:"values"`
		} `json:"series"`
		Error string `json:"error"`
	} `json:"results"`
}

// countOf is the number in the answer to a query of one count: its second column. None means that
// there is nothing.
func countOf(answer *influxAnswer) (int, error) {
	if len(answer.Results) != 1 || answer.Results[0].Error != "" {
		return 0, fmt.Errorf("InfluxDB does not say how many points it has: %+v", answer.Results)
	}
	series := answer.Results[0].Series
	if len(series) == 0 {
		return 0, nil
	}
	if len(series[0].Values) == 1 && len(series[0].Values[0]) == 2 {
		if count, ok := series[0].Values[0][1].(float64); ok {
			return int(count), nil
		}
	}

	return 0, fmt.Errorf("InfluxDB does not say how many points it has: %+v", series)
}

func (s *streamed) ratio() bounded {
	return bounded{s.with.over(s.without, rate), atLeast(leastStreamed)}
}

func (s *streaming) judgements() (all []judgement) {
	for _, c := range s.all {
		all = append(all, c.ratio().judged(fmt.Sprintf("gets, %d, beside no streaming", c.clients), "rate"))
	}

	return all
}

// String is the table.
func (s *streaming) String() string {
	lines := []string{
		fmt.Sprintf("gets from memcached for %s, streamed to InfluxDB\n", streamedFor),
		"| clients |  n | streaming ops/s | without ops/s | ratio           | streaming us/op " +
			"| without us/op | streaming p99 ms | without p99 |\n" +
			"|--------:|---:|----------------:|--------------:|-----------------|----------------:" +
			"|--------------:|-----------------:|------------:|",
	}
	for _, c := range s.all {
		lines = append(lines, fmt.Sprintf("| %7d | %2d | %15.0f | %13.0f | %s | %15.2f | %13.2f | %16.3f | %11.3f |", c.clients, c.rounds,
			c.with.OpsPerSecond, c.without.OpsPerSecond, c.ratio(), c.with.CPUMicros, c.without.CPUMicros, c.with.P99Ms, c.without.P99Ms))
	}

	return strings.Join(lines, "\n")
}
