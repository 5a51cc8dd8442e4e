package executor

import (
	"slices"
	"strconv"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// SampleTags returns the tags of a metric's samples in the scenario; nil if it sends none.
func (c *Config) SampleTags(metric string, runTags map[string]string) stream.Tags {
	tags := stream.ScenarioTags(c.Name, c.GetTags(), runTags)
	clients, rate := stream.TagValues{}, stream.TagValues{}
	for _, n := range c.Clients {
		clients.Names = append(clients.Names, strconv.FormatInt(n, 10))
	}
	for _, n := range c.Rate {
		rate.Names = append(rate.Names, stream.FormatNumber(n))
	}
	if c.OpenLoop() {
		clients = stream.Only(strconv.FormatInt(c.PreAllocatedVUs.Int64, 10))
	}
	if c.Find != nil {
		tried := stream.TagValues{From: c.Find.First(), To: c.Find.Max}
		if c.OpenLoop() {
			rate = tried
		} else {
			clients = tried
		}
	}
	tags["clients"] = clients
	if c.OpenLoop() {
		tags["rate"] = rate
	}
	switch {
	case len(c.Variants) > 0:
		tags["variant"] = stream.TagValues{Names: c.Variants}
	case stream.OfOperations(metric): // only the script knows whether it is a duet
		tags["variant"] = stream.TagValues{Names: []string{report.Base, report.Change}, Maybe: true}
	}
	tags.AddOutcomes(metric)
	if stream.OfOperations(metric) {
		tags["op"] = stream.TagValues{Names: c.OpNames, Others: append(slices.Clip(c.Variants), c.OpOf(Step{}))} // without opNames, any name
	}

	return tags
}

// Searched returns the tag that a search varies; "" without a search.
func (c *Config) Searched() string {
	if c.Find == nil {
		return ""
	}

	return c.Find.Varies()
}

// StepClients returns the numbers of clients known before the run.
func (c *Config) StepClients() []int64 { return c.Clients }
