package main

// kind is how a panel shows its figures.
type kind string

const (
	overTime       kind = "over time"       // lines, second by second
	againstClients kind = "against clients" // points of whole steps
	ofSteps        kind = "of steps"        // a table, a row for each step
	change         kind = "change"          // a table, a row for each step: how much more or less than the baseline has
)

// panel is one of a dashboard's.
type panel struct {
	title, description string
	kind               kind
	figures            []figure
	baseline           bool // shows the baseline beside the chosen instances
}

// anyOperation tells whether the figures are those of all operations together: keys are looked up
// by the step, not by the operation.
func (p panel) anyOperation() bool { return p.figures[0] == hitRate }

// logarithmic tells whether values that are a thousand times apart have to be read off together.
func (p panel) logarithmic() bool { return p.figures[0].unit() == "ms" }

// label is what the legend says of a line, out of the names that the store has for its parts.
func (p panel) label(figure, op, clients, instance string) string {
	if p.anyOperation() {
		return clients + " clients, " + instance
	}
	if len(p.figures) > 1 {
		op = figure + " " + op
	}

	return op + ", " + clients + " clients, " + instance
}

// row is a titled row of panels, side by side.
type row struct {
	title  string // "" without a line of its own
	height int    // in units of Grafana's grid, of 30 pixels
	panels []panel
}

// rows are what every dashboard shows, from the top.
func rows() []row {
	latency := []figure{p50, p99, p999}

	return []row{
		{height: 8, panels: []panel{
			{
				title: "Operations a second", kind: overTime, figures: []figure{opsPerSecond},
				description: "Successful operations, of each step.",
			},
			{
				title: "Latency", kind: overTime, figures: latency,
				description: "Of successful operations in each second. Zoomed out, p50 is the median of the seconds', and p99 and p99.9 the highest.",
			},
		}},
		{height: 6, panels: []panel{
			{title: "Failed operations a second", kind: overTime, figures: []figure{failed}},
			{title: "Hit rate", kind: overTime, figures: []figure{hitRate}, description: "Of caches: keys that were found, of those asked for."},
			{title: "Bytes a second", kind: overTime, figures: []figure{sent, received}},
		}},
		{title: "Against clients", height: 9, panels: []panel{
			{
				title: "Operations a second against clients", kind: againstClients, figures: []figure{opsPerSecond},
				description: "Of whole steps.",
			},
			{
				title: "Latency against clients", kind: againstClients, figures: latency,
				description: "Of whole steps.",
			},
		}},
		{height: 8, panels: []panel{
			{title: "Steps", kind: ofSteps, figures: []figure{opsPerSecond, p50, p99, p999, longest, failed, hitRate, complete}},
		}},
		{title: "Compared with $baseline", height: 9, panels: []panel{
			{title: "Operations a second of both", kind: againstClients, figures: []figure{opsPerSecond}, baseline: true},
			{title: "p99 of both", kind: againstClients, figures: []figure{p99}, baseline: true},
			{
				title: "Change against $baseline", kind: change, figures: []figure{opsPerSecond, p50, p99, p999},
				description: "10 % of operations a second is more, and better; 10 % of a latency is longer, and worse.",
			},
		}},
	}
}
