package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "grafana:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("what to do? write, ask or page: see doc.go")
	}
	switch args[0] {
	case "write":
		return write()
	case "ask", "page":
		return look(args[0], args[1:], out)
	default:
		return fmt.Errorf("there is no %q: it is one of write, ask and page", args[0])
	}
}

// write writes the dashboards.
func write() error {
	for _, s := range stores() {
		file, err := encode(dashboard(s))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join("dashboards", s.file), file, 0o600); err != nil {
			return err
		}
	}

	return nil
}

func encode(value object) ([]byte, error) {
	var file bytes.Buffer
	encoder := json.NewEncoder(&file)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(value)

	return file.Bytes(), err
}

// look asks a store all queries of its dashboard, and prints how much there is, or draws it.
func look(verb string, args []string, out io.Writer) error {
	flags := flag.NewFlagSet(verb, flag.ContinueOnError)
	influx := flags.String("influxdb", "", "http://host:port/database")
	prom := flags.String("prometheus", "", "http://host:port")
	chosen := choice{
		Scenario: flags.String("scenario", "", "the scenario"), Instance: flags.String("instance", "", "the run"),
		Baseline: flags.String("baseline", "", "the run to compare with (default: the same)"),
	}
	since := flags.Duration("since", time.Hour, "how far to look back")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if (*influx == "") == (*prom == "") {
		return errors.New("one of -influxdb and -prometheus says whom to ask")
	}
	if *chosen.Scenario == "" || *chosen.Instance == "" {
		return errors.New("-scenario and -instance say what to ask for")
	}
	if *chosen.Baseline == "" {
		chosen.Baseline = chosen.Instance
	}
	chosen.To = time.Now()
	chosen.From = chosen.To.Add(-*since)

	asked, err := newAsker(*influx, *prom)
	if err != nil {
		return err
	}
	answers, err := asked.all(chosen)
	if err != nil {
		return err
	}
	if verb == "page" {
		return drawPage(out, chosen, answers)
	}

	return count(out, answers)
}

// count prints how many values each query has brought. It is an error where one has brought none.
func count(out io.Writer, answers []answer) error {
	empty := 0
	for _, a := range answers {
		if _, err := fmt.Fprintf(out, "%6d  %s\n", a.values(), a.of); err != nil {
			return err
		}
		if a.values() == 0 {
			empty++
		}
	}
	if empty > 0 {
		return fmt.Errorf("%d of %d queries have brought nothing", empty, len(answers))
	}

	return nil
}
