package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

func limited(word witness.Word) func(*Step) {
	return func(s *Step) {
		s.Witness = &Witness{
			LimitedBy: word, Why: "Thus the " + string(word) + ".",
			Evidence: map[string]float64{witness.Processors: 2, witness.K6: 1.25},
			OverTime: &WitnessOverTime{
				EverySeconds: 0.1, Idle: []float64{0.25, 0}, K6: []float64{0.5, 0.625}, Server: []float64{0.25, 0.375},
				Others: []float64{0, 0}, Stolen: []float64{0, 0}, GCPauseMs: []float64{0, 0.2}, LateMs: []float64{1, 2},
			},
		}
	}
}

func TestWitnessIsValidated(t *testing.T) {
	for want, change := range map[string]func(*Witness){
		"witness.overTime.lateMs has 1 values": func(w *Witness) { w.OverTime.LateMs = w.OverTime.LateMs[:1] },
		"witness.overTime.server has 1 values": func(w *Witness) { w.OverTime.Server = w.OverTime.Server[:1] },
	} {
		s := step(1, 1, "get", limited(witness.Host))
		require.NoError(t, s.validate())
		change(s.Witness)
		require.ErrorContains(t, s.validate(), want)
	}
	s := step(1, 1, "get", limited(witness.Host))
	s.Witness.OverTime, s.Witness.Evidence = nil, map[string]float64{}
	require.NoError(t, s.validate(), "a system that tells nothing")
}

// "limited by" is the last column, filled once a step.
func TestTableEndsWithWhatLimitedTheStep(t *testing.T) {
	r := madeUp(func(r *Report) {
		r.Steps = []Step{
			step(1, 1, "get", limited(witness.Clients)), step(1, 1, "set", limited(witness.Clients)),
			step(8, 1, "get", limited(witness.Host)), step(8, 1, "set", limited(witness.Host)),
		}
	})
	lines := strings.Split(r.Markdown(), "\n")
	require.Regexp(t, `\| failed \| limited by \|$`, lines[0])
	require.Regexp(t, `\| clients    \|$`, lines[2])
	require.Regexp(t, `\|            \|$`, lines[3])
	require.Contains(t, csvRows(t, r)[2]["limited_by"], "clients")
	require.Equal(t, "host", csvRows(t, r)[3]["limited_by"])

	require.NotContains(t, madeUp(nil).Markdown(), "limited by")
	require.Empty(t, csvRows(t, madeUp(nil))[0]["limited_by"])
}

func TestNotesSayWhatIsNotTheServers(t *testing.T) {
	r := madeUp(func(r *Report) {
		r.Steps = []Step{
			step(1, 1, "get", limited(witness.Clients)), step(8, 1, "get", limited(witness.Unsteady)),
			step(16, 1, "get", limited(witness.Neighbour), func(s *Step) { s.Witness.Evidence[witness.UnderWay] = 0.5 }),
			step(32, 1, "get", limited(witness.K6Itself), func(s *Step) { s.Witness.Evidence[witness.UnderWay] = 0.5 }),
			step(64, 1, "get", limited(witness.Short)), step(128, 1, "get", limited(witness.Host)),
		}
	})
	require.Equal(t, []string{
		"8 clients, limited by unsteady: Thus the unsteady.",
		"16 clients, limited by neighbour: Thus the neighbour.",
		"16 clients: Operations took only 50 % of the clients' time: the script did other work.",
		"32 clients, limited by k6: Thus the k6.",
	}, r.notes())

	r = madeUp(duet)
	for i := range r.Steps {
		limited(witness.Neighbour)(&r.Steps[i])
	}
	notes := strings.Join(r.notes(), "\n")
	require.Equal(t, 1, strings.Count(notes, "8 clients and 1 more step, limited by neighbour: Thus the neighbour."), "of both variants")
	require.NotContains(t, notes, "base, limited by")
}

func TestMergeOfWitnesses(t *testing.T) {
	for _, tt := range []struct {
		words [3]witness.Word
		want  witness.Word
		why   string
	}{
		{[3]witness.Word{"clients", "host", "unknown"}, "host", "Part 2: Thus the host."},
		{[3]witness.Word{"host", "unsteady", "neighbour"}, "neighbour", "Part 3: Thus the neighbour."},
		{[3]witness.Word{"client", "client", "server"}, "client", "Part 1: Thus the client."},
		{[3]witness.Word{"short", "unknown", "short"}, "unknown", "Part 2: Thus the unknown."},
		{[3]witness.Word{"short", "short", "short"}, "short", "Part 1: Thus the short."},
		{[3]witness.Word{"", "", "rate"}, "rate", "Part 3: Thus the rate."},
		{[3]witness.Word{"", "", ""}, "", ""},
	} {
		parts := []*Report{mergePart("0:1/3"), mergePart("1/3:2/3"), mergePart("2/3:1")}
		for i, part := range parts {
			r := reading(100)
			step := *stepOf(t, &r)
			step.Clients = 6
			if tt.words[i] != "" {
				limited(tt.words[i])(&step)
			}
			part.Steps = []Step{step}
		}
		merged, _, err := Merge(parts...)
		require.NoError(t, err)
		s := &merged.Steps[0]
		require.Equal(t, tt.want, s.LimitedBy())
		if tt.want == "" {
			require.Nil(t, s.Witness)

			continue
		}
		require.Equal(t, tt.why, s.Witness.Why)
		require.Nil(t, s.Witness.OverTime, "each part has a time of its own")
	}
}
