package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

const figuresPage = "scenarios/figures.md"

func putReports(args []string) error {
	flags := flag.NewFlagSet("bench report", flag.ContinueOnError)
	part := flags.String("part", "", "the part of the page (default: the scenario's name)")
	command := flags.String("command", "", "the command that made the report")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 || *command == "" {
		return errors.New("bench report takes -command and one report, such as results/stock-rollup.json")
	}

	return putReport(flags.Arg(0), *part, *command, []string{frontPage, figuresPage})
}

func putInput(args []string) error {
	flags := flag.NewFlagSet("bench put", flag.ContinueOnError)
	part := flags.String("part", "", "the part of the page")
	command := flags.String("command", "", "the command that printed it")
	page := flags.String("page", figuresPage, "the page")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *part == "" || *command == "" {
		return errors.New("bench put takes -part and -command")
	}
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}

	return putPart(*page, *part, strings.TrimSpace(string(text))+"\n\n"+caption(*command, time.Now().UTC(), machine()))
}

// putReport puts the tables in the .md file of a report into each page with the part; an empty part
// means the scenario's name. If the script has its own tables, it puts only those.
func putReport(file, part, command string, pages []string) error {
	r, err := readReport(file)
	if err != nil {
		return err
	}
	if r.Interrupted {
		return fmt.Errorf("%s was interrupted", file)
	}
	markdown, err := os.ReadFile(strings.TrimSuffix(file, ".json") + ".md")
	if err != nil {
		return err
	}
	shown := string(markdown)
	if len(r.Tables) > 0 {
		_, shown, _ = strings.Cut(shown, "\n"+r.Tables[0].Title+"\n")
	}
	if part == "" {
		part = r.Scenario
	}
	text := tables(shown) + "\n\n" + captionOf(r, command)
	put := 0
	for _, page := range pages {
		old, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		if _, found := replacePart(string(old), part, ""); !found {
			continue
		}
		if err := putPart(page, part, text); err != nil {
			return err
		}
		put++
	}
	if put == 0 {
		return fmt.Errorf("%s have no part <!-- %s -->", strings.Join(pages, " and "), part)
	}

	return nil
}

func tables(markdown string) string {
	var kept []string
	within := false
	for line := range strings.Lines(markdown) {
		line = strings.TrimSuffix(line, "\n")
		isRow := strings.HasPrefix(line, "|")
		if isRow && !within && len(kept) > 0 {
			kept = append(kept, "")
		}
		if isRow {
			kept = append(kept, line)
		}
		within = isRow
	}

	return strings.Join(kept, "\n")
}

func captionOf(r *report.Report, command string) string {
	facts := []string{fmt.Sprintf("%d cores of %s", r.Host.Cores, r.Host.CPU)}
	if strings.Contains(fmt.Sprint(r.Target["url"]), "127.0.0.1") {
		facts[0] += " (k6 and server together)"
	}
	if r.Host.MemBytes > 0 {
		facts = append(facts, fmt.Sprintf("%.0f GB", float64(r.Host.MemBytes)/(1<<30)))
	}
	facts = append(facts, r.Host.OS, "k6 "+r.K6)
	if version, known := r.Target["version"].(string); known && version != "" {
		facts = append(facts, fmt.Sprint(r.Target["kind"], " ", version))
	}
	text := strings.Join(facts, ", ")
	if duration, _ := r.Params["duration"].(string); duration != "" {
		text += ".\nEach step is measured for " + duration
	} else if iterations, _ := r.Params["iterations"].(float64); iterations > 0 {
		text += fmt.Sprintf(".\nEach client does %.0f operations in each step", iterations)
	}

	return caption(command, r.Started, text)
}

func caption(command string, at time.Time, facts string) string {
	return fmt.Sprintf("*`%s`, %s.\n%s.*", command, at.Format(time.DateOnly), facts)
}
