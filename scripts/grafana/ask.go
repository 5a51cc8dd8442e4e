package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// choice is what the user of a dashboard has chosen; operations and clients are all.
type choice struct {
	Scenario, Instance, Baseline *string
	From, To                     time.Time
}

// answer is what a store has said to a query of a dashboard.
type answer struct {
	of     string // the panel, or the variable, and which of its queries
	panel  string // "" for a variable
	series []series
}

// series is a table with tags that are those of all its rows.
type series struct {
	tags    map[string]string
	columns []string
	rows    [][]any // times are float64, in ms
}

// values is how many there are that are not null, times aside.
func (a answer) values() int {
	n := 0
	for _, s := range a.series {
		for _, row := range s.rows {
			for i, value := range row {
				if value != nil && s.columns[i] != "time" {
					n++
				}
			}
		}
	}

	return n
}

// written is what is read of a dashboard's file.
type written struct {
	Panels []struct {
		Title   string
		Targets []writtenTarget
	}
	Templating struct {
		List []struct {
			Name, Type string
			Query      json.RawMessage
		}
	}
}

type writtenTarget struct {
	RefID       string
	Query, Expr string
	Instant     bool
}

// asker asks the store of a dashboard.
type asker struct {
	file string
	// fill puts what is chosen in the place of Grafana's variables.
	fill func(query string, chosen choice) string
	// ask asks one query, values one for the values of a variable.
	ask    func(target writtenTarget, query string, chosen choice) ([]series, error)
	values func(query json.RawMessage, chosen choice) ([]series, error)
}

func newAsker(influx, prom string) (*asker, error) {
	if influx != "" {
		return influxAsker(influx)
	}

	return promAsker(prom)
}

// all asks all queries of the dashboard as it is written in its file.
func (a *asker) all(chosen choice) ([]answer, error) {
	raw, err := os.ReadFile(filepath.Join("dashboards", a.file)) //nolint:gosec // one of stores
	if err != nil {
		return nil, err
	}
	var d written
	if err := json.Unmarshal(raw, &d); err != nil {
		return nil, fmt.Errorf("%s: %w", a.file, err)
	}

	var answers []answer
	for _, v := range d.Templating.List {
		if v.Type != "query" {
			continue
		}
		found, err := a.values(v.Query, chosen)
		if err != nil {
			return nil, fmt.Errorf("the variable %s: %w", v.Name, err)
		}
		answers = append(answers, answer{of: "the variable " + v.Name, series: found})
	}
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			query := a.fill(target.Query+target.Expr, chosen)
			found, err := a.ask(target, query, chosen)
			if err != nil {
				return nil, fmt.Errorf("%s, query %s: %w\n%s", p.Title, target.RefID, err, query)
			}
			answers = append(answers, answer{of: p.Title + ", query " + target.RefID, panel: p.Title, series: found})
		}
	}

	return answers, nil
}

// get reads the JSON that a server answers with. What is not 2xx is an error with the answer's own
// words.
func get(address string, query url.Values, into any) error {
	client := http.Client{Timeout: 30 * time.Second}
	response, err := client.Get(address + "?" + query.Encode()) //nolint:gosec // the user's own server
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode/100 != 2 {
		var said struct{ Error string }
		_ = json.NewDecoder(response.Body).Decode(&said)

		return errors.New(strings.TrimSpace(response.Status + " " + said.Error))
	}

	return json.NewDecoder(response.Body).Decode(into)
}
