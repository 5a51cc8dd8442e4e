package events

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestListen(t *testing.T) {
	var first, second []Event
	stop := Listen(func(e Event) { first = append(first, e) })
	defer Listen(func(e Event) { second = append(second, e) })()
	before := time.Now()
	Tell(Reconnect, "a connection was made", 3)
	Tell("", "nothing", 0)
	stop()
	Tell("", "failover", 1)
	require.Len(t, first, 1)
	require.Len(t, second, 2)
	require.Equal(t, first[0], second[0])
	require.Equal(t, Event{At: first[0].At, Kind: "reconnect", Text: "a connection was made", Times: 3}, first[0])
	require.WithinRange(t, first[0].At, before.Round(0), time.Now())
	require.Equal(t, "failover", second[1].Text)
}
