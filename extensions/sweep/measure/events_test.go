package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOnEvent(t *testing.T) {
	var first, second []Event
	stop := OnEvent(func(e Event) { first = append(first, e) })
	defer OnEvent(func(e Event) { second = append(second, e) })()
	before := time.Now()
	TellEvent(EventReconnect, "a connection was made", 3)
	TellEvent("", "nothing", 0)
	stop()
	TellEvent("", "failover", 1)
	require.Len(t, first, 1)
	require.Len(t, second, 2)
	require.Equal(t, first[0], second[0])
	require.Equal(t, Event{At: first[0].At, Kind: "reconnect", Text: "a connection was made", Times: 3}, first[0])
	require.WithinRange(t, first[0].At, before.Round(0), time.Now())
	require.Equal(t, "failover", second[1].Text)
}
