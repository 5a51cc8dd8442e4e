package sweep

import (
	"slices"
	"strconv"
)

var _ thresholdSweep = &Config{}

// SampleTags are those that a metric's samples will have in the scenario; nil: there will be none.
func (c *Config) SampleTags(metric string, runTags map[string]string) sampleTags {
	if metric == metricDuration && !c.Raw.Bool {
		return nil
	}
	tags := scenarioTags(c.Name, c.GetTags(), runTags)
	clients, rate := tagValues{}, tagValues{}
	for _, n := range c.Clients {
		clients.names = append(clients.names, strconv.FormatInt(n, 10))
	}
	for _, n := range c.Rate {
		rate.names = append(rate.names, formatNumber(n))
	}
	if c.OpenLoop() {
		clients = only(strconv.FormatInt(c.PreAllocatedVUs.Int64, 10))
	}
	if c.Find != nil {
		tried := tagValues{from: c.Find.min(), to: c.Find.Max}
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
	if len(c.Variants) > 0 {
		tags["variant"] = tagValues{names: c.Variants}
	}
	if ofOperations(metric) {
		tags["op"] = tagValues{names: c.Ops, others: append(slices.Clip(c.Variants), c.op(spec{}))} // without ops, any name
	}

	return tags
}

// Searched names the tag whose value a search looks for; empty: the sweep is no search.
func (c *Config) Searched() string {
	if c.Find == nil {
		return ""
	}

	return c.Find.of()
}

// StepClients are the clients of the sweep's steps, as far as they are known before the run.
func (c *Config) StepClients() []int64 { return c.Clients }
