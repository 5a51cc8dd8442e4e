package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// influxAsker asks over the HTTP API of InfluxDB 1, as Grafana does. The address ends with the
// database's name.
func influxAsker(address string) (*asker, error) {
	server, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("-influxdb: %w", err)
	}
	database := strings.Trim(server.Path, "/")
	if server.Host == "" || database == "" {
		return nil, errors.New("-influxdb must be http://host:port/database")
	}
	server.Path = "/query"
	ask := func(query string) ([]series, error) { return askInflux(server.String(), database, query) }

	return &asker{
		file: influxdb().file, fill: fillInflux,
		ask: func(_ writtenTarget, query string, _ choice) ([]series, error) { return ask(query) },
		values: func(raw json.RawMessage, chosen choice) ([]series, error) {
			var query string
			if err := json.Unmarshal(raw, &query); err != nil {
				return nil, err
			}

			return ask(fillInflux(query, chosen))
		},
	}, nil
}

// fillInflux: the format regex escapes what has a meaning in a regular expression, and the slash
// that ends one.
func fillInflux(query string, chosen choice) string {
	literal := func(value string) string { return strings.ReplaceAll(regexp.QuoteMeta(value), "/", `\/`) }

	return strings.NewReplacer(
		"$timeFilter", fmt.Sprintf("time >= %dms and time <= %dms", chosen.From.UnixMilli(), chosen.To.UnixMilli()),
		"$__interval_ms", "1000", "$__interval", "1s",
		"${scenario:regex}", literal(*chosen.Scenario), "${instance:regex}", literal(*chosen.Instance),
		"${baseline:regex}", literal(*chosen.Baseline),
		"${op:regex}", ".+", "${clients:regex}", ".+",
	).Replace(query)
}

func askInflux(address, database, query string) ([]series, error) {
	var said struct {
		Results []struct {
			Error  string
			Series []struct {
				Tags    map[string]string
				Columns []string
				Values  [][]any
			}
		}
	}
	if err := get(address, url.Values{"db": {database}, "q": {query}, "epoch": {"ms"}}, &said); err != nil {
		return nil, err
	}
	if len(said.Results) != 1 {
		return nil, fmt.Errorf("%d results to one query", len(said.Results))
	}
	if said.Results[0].Error != "" {
		return nil, errors.New(said.Results[0].Error)
	}
	found := make([]series, 0, len(said.Results[0].Series))
	for _, s := range said.Results[0].Series {
		found = append(found, series{tags: s.Tags, columns: s.Columns, rows: s.Values})
	}

	return found, nil
}
