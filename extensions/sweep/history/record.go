package history

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

// Schema is the version of a record. Keys keep their meaning within a version.
const Schema = "xk6-sweep-history/1"

// Commit is the commit that was measured.
type Commit struct {
	ID      string    `json:"commit"`
	Time    time.Time `json:"committed"`
	Subject string    `json:"subject,omitempty"`
}

// Record is a run of a scenario at a commit.
type Record struct {
	Schema string `json:"schema"`
	Commit
	Scenario string    `json:"scenario"`
	Started  time.Time `json:"started"`
	// Setup has the facts that are equal within a series, by their path in the report: class of
	// machine, kind of target, and parameters.
	Setup map[string]string `json:"setup"`
	// State has facts that may explain a change, such as the kernel.
	State map[string]string `json:"state,omitempty"`
	Steps []Step            `json:"steps"`
}

// Step has the medians of a step's repeats.
type Step struct {
	report.Key
	Repeats int `json:"repeats"`
	// Figures by key, such as "ops_per_second" and "p99", latencies in milliseconds, without figures
	// that rest on too few operations.
	Figures map[string]float64 `json:"figures,omitempty"`
	// Flaw is why the step has no figures.
	Flaw string `json:"flaw,omitempty"`
	// LimitedBy is set if a neighbour limited at least half of the repeats, so that the figures do not
	// count.
	LimitedBy witness.Word `json:"limitedBy,omitempty"`
}

// NewRecord makes the record of a run at a commit. base names the base of its duets, such as a
// release; ratios to the same base form a series. Without base, ratios are left out.
func NewRecord(r *report.Report, at Commit, base string) (*Record, error) {
	if at.ID == "" {
		return nil, errors.New("a record needs a commit")
	}
	rec := &Record{
		Schema: Schema, Commit: at, Scenario: r.Scenario, Started: r.Started.UTC(),
		Steps: []Step{},
	}
	rec.setFacts(r.Facts())
	rec.Time = at.Time.UTC()
	groups := r.Groups()
	for i := range groups {
		rec.Steps = append(rec.Steps, newStep(r, &groups[i]))
	}
	if base != "" {
		if len(r.Duets) == 0 {
			return nil, fmt.Errorf("the run has no duets: there is nothing beside %s", base)
		}
		rec.Setup["duet.base"] = base
		rec.Steps = append(rec.Steps, ratioSteps(r, groups)...)
	}
	if len(rec.Steps) == 0 {
		return nil, errors.New("the run has no steps: there is nothing to keep")
	}

	return rec, nil
}

func newStep(r *report.Report, g *report.Group) Step {
	s := Step{Key: g.Key, Repeats: len(g.Steps)}
	if s.Flaw = report.FlawOf(g); s.Flaw != "" {
		return s
	}
	s.Figures = map[string]float64{}
	for i := range report.Figures {
		f := &report.Figures[i]
		if f.Chance || f.RestsOnLittle(g) != "" {
			continue
		}
		if v := report.Median(g.Values(f.Of)); v > 0 {
			s.Figures[f.Key] = fiveDigits(v)
		}
	}
	const milli = 1000
	k6, server := r.CPUPerOperation(g)
	for key, seconds := range map[string]float64{cpuKey: k6, serverCPUKey: server} {
		if seconds > 0 {
			s.Figures[key] = fiveDigits(milli * seconds)
		}
	}
	s.LimitedBy = neighbourOf(g)

	return s
}

// neighbourOf returns the witness's word for a neighbour that limited at least half of the repeats,
// or "".
func neighbourOf(g *report.Group) witness.Word {
	n := 0
	for _, s := range g.Steps {
		if s.LimitedBy() == witness.Neighbour {
			n++
		}
	}
	if 2*n < len(g.Steps) {
		return ""
	}

	return witness.Neighbour
}

// ratioSteps returns steps without variant, with the median ratios of the duets' repeats. Ratios
// count despite neighbours, which slow both variants.
func ratioSteps(r *report.Report, groups []report.Group) (steps []Step) {
	values := map[report.Key]map[string][]float64{}
	var order []report.Key
	for i := range r.Duets {
		d := &r.Duets[i]
		if d.Op == report.TotalOp {
			continue
		}
		if values[d.Key()] == nil {
			values[d.Key()] = map[string][]float64{}
			order = append(order, d.Key())
		}
		for _, f := range d.Figures {
			values[d.Key()][f.Figure] = append(values[d.Key()][f.Figure], f.Ratio)
		}
	}
	for _, key := range order {
		s := Step{Key: key, Figures: map[string]float64{}}
		for i := range groups {
			g := &groups[i]
			if g.Op != key.Op || g.Clients != key.Clients || g.Rate != key.Rate {
				continue
			}
			s.Repeats = len(g.Steps)
			s.Flaw = cmp.Or(s.Flaw, report.FlawOf(g))
		}
		for figure, ratios := range values[key] {
			s.Figures[figure+besideBase] = fiveDigits(report.Median(ratios))
		}
		if s.Flaw != "" {
			s.Figures = nil
		}
		steps = append(steps, s)
	}

	return steps
}

// fiveDigits is more precise than any machine and keeps records short.
func fiveDigits(v float64) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 5, 64), 64)

	return rounded
}

// setFacts divides the facts of a run into Setup and State.
func (r *Record) setFacts(facts []report.Fact) {
	r.Setup, r.State = map[string]string{}, map[string]string{}
	for _, f := range facts {
		switch root, name, _ := strings.Cut(f.Name, "."); {
		case root == "host", root == "params", root == "target" && (name == "kind" || name == "driver"):
			r.Setup[f.Name] = f.Text
		case root == "k6", root == "target" && name == "version", root == "fingerprint" && name != "build": // builds differ between commits
			r.State[f.Name] = f.Text
		}
	}
}

// Line returns the record as a line of JSON.
func (r *Record) Line() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(r); err != nil {
		return nil, err
	}

	return b.Bytes(), nil
}

// SetupID returns a short hash of the setup.
func (r *Record) SetupID() string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(r.Setup)) {
		_, _ = fmt.Fprintf(sum, "%q=%q\n", name, r.Setup[name])
	}

	return hex.EncodeToString(sum.Sum(nil))[:8]
}

func (r *Record) same(other *Record) bool {
	return r.ID == other.ID && r.Scenario == other.Scenario && r.Started.Equal(other.Started) && r.SetupID() == other.SetupID()
}

// Parse reads records, one a line. It skips invalid lines, which a killed writer may leave, with a
// note for each.
func Parse(raw []byte) (records []Record, notes []string) {
	for n, line := range bytes.Split(raw, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var r Record
		err := json.Unmarshal(line, &r)
		switch {
		case err != nil:
			notes = append(notes, fmt.Sprintf("line %d is left out: it is no JSON of a record, or was cut off", n+1))
		case r.Schema != Schema:
			notes = append(notes, fmt.Sprintf("line %d is left out: its schema is %q, not %q", n+1, r.Schema, Schema))
		case r.ID == "" || r.Scenario == "" || len(r.Steps) == 0:
			notes = append(notes, fmt.Sprintf("line %d is left out: it has no commit, no scenario or no steps", n+1))
		default:
			records = append(records, r)
		}
	}

	return records, notes
}

// Append returns the contents with the record added, unless the same run is there already. It ends
// an incomplete last line.
func Append(contents []byte, r *Record) (more []byte, added bool, err error) {
	there, _ := Parse(contents)
	if slices.ContainsFunc(there, func(other Record) bool { return r.same(&other) }) {
		return nil, false, nil
	}
	line, err := r.Line()
	if err != nil {
		return nil, false, err
	}
	if len(contents) > 0 && contents[len(contents)-1] != '\n' {
		line = append([]byte("\n"), line...)
	}

	return line, true, nil
}

// Figure is one of a record's figures.
type Figure struct {
	// Name is for people, such as "ops/s", Key is for records.
	Name, Key string
	Unit      string
	// Rate is set if the figure gets worse when it falls.
	Rate bool
	Show func(value float64) string
}

// Keys of figures that are not among a report's figures.
const (
	cpuKey       = "cpu_per_operation"
	serverCPUKey = "server_cpu_per_operation"
	// besideBase is the suffix of keys for a duet's ratios.
	besideBase = "_beside_base"
)

// Figures are all figures in page order: a step's, CPU time per operation in milliseconds,
// and the ratios of duets.
var Figures = figures() //nolint:gochecknoglobals // a constant

func figures() (all []Figure) {
	for i := range report.Figures {
		f := &report.Figures[i]
		if f.Chance {
			continue
		}
		unit := "ms"
		if f.Rate {
			unit = "ops/s"
		}
		all = append(all, Figure{f.Name, f.Key, unit, f.Rate, f.Show})
	}
	micros := func(ms float64) string { return report.Micros(1000 * ms) }
	all = append(all, Figure{"k6 CPU/op", cpuKey, "ms", false, micros}, Figure{"server CPU/op", serverCPUKey, "ms", false, micros})
	ratio := func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }
	for _, f := range report.DuetFigures {
		rate := f == ratesOfDuets
		name := f
		if rate {
			name = "ops/s"
		}
		all = append(all, Figure{name + " beside base", f + besideBase, "ratio", rate, ratio})
	}

	return all
}

// ratesOfDuets is the figure of duets that gets worse when it falls.
const ratesOfDuets = "opsPerSecond"
