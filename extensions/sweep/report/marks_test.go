package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMarks(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 30, 5, 0, time.UTC)
	r := madeUp(func(r *Report) {
		r.Marks = []Mark{{At: at, Text: "failover"}, {At: at.Add(time.Second), Text: "connected again", Kind: "reconnect", Times: 512}}
	})
	raw, err := r.JSON()
	require.NoError(t, err)
	read, err := Read(raw)
	require.NoError(t, err)
	require.Equal(t, r.Marks, read.Marks)
	require.Equal(t, "failover", read.Marks[0].Shown())
	require.Equal(t, "connected again (512 times)", read.Marks[1].Shown())
}

func TestMergeOfMarks(t *testing.T) {
	parts := []*Report{mergePart("0:1/2"), mergePart("1/2:1")}
	at := parts[0].Started
	parts[0].Marks = []Mark{{At: at, Text: "failover"}, {At: at.Add(3 * time.Second), Text: "connected again", Kind: "reconnect"}}
	parts[1].Marks = []Mark{{At: at, Text: "failover"}, {At: at.Add(time.Second), Text: "connected again", Kind: "reconnect"}}
	merged, _, err := Merge(parts...)
	require.NoError(t, err)
	require.Equal(t, []Mark{parts[0].Marks[0], parts[1].Marks[1], parts[0].Marks[1]}, merged.Marks)
}
