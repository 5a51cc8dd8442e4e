package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// promAsker asks over Prometheus' HTTP API.
func promAsker(address string) (*asker, error) {
	server, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("-prometheus: %w", err)
	}
	if server.Host == "" {
		return nil, errors.New("-prometheus must be http://host:port")
	}
	api := server.JoinPath("/api/v1")

	return &asker{
		file: prometheus().file, fill: fillProm,
		ask: func(target writtenTarget, query string, chosen choice) ([]series, error) {
			if target.Instant {
				return askProm(api.JoinPath("query").String(), url.Values{"query": {query}, "time": {seconds(chosen.To)}})
			}

			return askProm(api.JoinPath("query_range").String(), url.Values{
				"query": {query}, "start": {seconds(chosen.From)}, "end": {seconds(chosen.To)}, "step": {"1"},
			})
		},
		values: func(raw json.RawMessage, chosen choice) ([]series, error) {
			var asked struct{ Query string }
			if err := json.Unmarshal(raw, &asked); err != nil {
				return nil, err
			}

			return promLabels(api, fillProm(asked.Query, chosen), chosen)
		},
	}, nil
}

func seconds(t time.Time) string { return strconv.FormatFloat(float64(t.UnixMilli())/1000, 'f', 3, 64) }

// fillProm: a variable of which several values can be chosen stands in a regular expression,
// another in a string.
func fillProm(query string, chosen choice) string {
	quoted := func(value string) string {
		inString := strconv.Quote(value)

		return inString[1 : len(inString)-1]
	}

	return strings.NewReplacer(
		"$__rate_interval", "4s", "$__range", fmt.Sprintf("%dms", chosen.To.Sub(chosen.From).Milliseconds()),
		"$scenario", quoted(*chosen.Scenario), "$baseline", quoted(*chosen.Baseline),
		"$instance", quoted(regexp.QuoteMeta(*chosen.Instance)), "$op", ".+", "$clients", ".+",
	).Replace(query)
}

func askProm(address string, query url.Values) ([]series, error) {
	var said struct {
		Data struct {
			Result []struct {
				Metric map[string]string
				Value  []any
				Values [][]any
			}
		}
	}
	if err := get(address, query, &said); err != nil {
		return nil, err
	}
	var found []series
	for _, r := range said.Data.Result {
		if r.Value != nil {
			r.Values = append(r.Values, r.Value)
		}
		s := series{tags: r.Metric, columns: []string{"time", "value"}}
		for _, sample := range r.Values {
			row, err := promSample(sample)
			if err != nil {
				return nil, err
			}
			s.rows = append(s.rows, row)
		}
		found = append(found, s)
	}

	return found, nil
}

// promSample is a time in seconds and a value in words. NaN, as in 0 / 0, is no value.
func promSample(sample []any) ([]any, error) {
	if len(sample) != 2 {
		return nil, fmt.Errorf("%v is no sample", sample)
	}
	at, timed := sample[0].(float64)
	text, worded := sample[1].(string)
	value, err := strconv.ParseFloat(text, 64)
	if !timed || !worded || err != nil {
		return nil, fmt.Errorf("%v is no sample", sample)
	}
	if math.IsNaN(value) {
		return []any{at * 1000, nil}, nil
	}

	return []any{at * 1000, value}, nil
}

// promLabels asks for what Grafana's label_values(selector, label) stands for.
func promLabels(api *url.URL, query string, chosen choice) ([]series, error) {
	parts := regexp.MustCompile(`^label_values\((.*), (\w+)\)$`).FindStringSubmatch(query)
	if parts == nil {
		return nil, fmt.Errorf("%s is not label_values(...)", query)
	}
	var said struct{ Data []any }
	err := get(api.JoinPath("label", parts[2], "values").String(),
		url.Values{"match[]": {parts[1]}, "start": {seconds(chosen.From)}, "end": {seconds(chosen.To)}}, &said)
	found := series{columns: []string{"value"}}
	for _, value := range said.Data {
		found.rows = append(found.rows, []any{value})
	}

	return []series{found}, err
}
