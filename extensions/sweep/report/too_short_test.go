package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

func TestMergeOfShortParts(t *testing.T) {
	for each, want := range map[int]*uint64{4: new(uint64(8)), 5: nil} {
		var parts []*Report
		for _, segment := range []string{"0:1/2", "1/2:1"} {
			reading := measure.Reading{
				Complete: true, Started: true, StartedOn: time.Unix(1e9, 0), Elapsed: time.Second, Window: time.Second,
				Ops: []measure.Totals{{Op: "get", Within: int64(each)}},
			}
			for range each {
				reading.Ops[0].Durations.Record(time.Millisecond)
			}
			reading.ClientTimes.Record(time.Second)
			reading.ClientOps.Record(time.Duration(each))
			reading.NeedOperations(uint64(each))
			require.False(t, reading.Complete)
			steps := NewSteps(&reading, Step{Clients: 2, Repeat: 1}, "", CPUSeconds{})
			part := mergePart(segment)
			part.Params["clients"] = []int64{2}
			part.Steps = steps
			parts = append(parts, part)
		}
		merged, _, err := Merge(parts...)
		require.NoError(t, err)
		require.NoError(t, merged.Validate())
		require.Equal(t, want, merged.Steps[0].TooShort)
		require.Equal(t, want == nil, merged.Steps[0].Complete)
	}
}
