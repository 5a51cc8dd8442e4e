package host

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// parts is a slot of two processors, of which idle, server, k6 and others had so many percent.
func parts(idle, server, k6, others int) slot {
	s := slot{
		length: 100 * time.Millisecond, processors: 2,
		idle: time.Duration(2*idle) * time.Millisecond, server: time.Duration(2*server) * time.Millisecond, k6: time.Duration(2*k6) * time.Millisecond,
	}
	s.stolen = time.Duration(2*(100-idle-server-k6-others)) * time.Millisecond

	return s
}

// k6 gives way where it and a slower server fill the machine.
func TestWayOfASlot(t *testing.T) {
	for name, c := range map[string]struct {
		slot  slot
		gives bool
	}{
		"a server that takes most of it":     {parts(2, 72, 24, 2), true},
		"one that takes twice what k6 does":  {parts(10, 60, 30, 0), true},
		"the hypervisor has a part":          {parts(2, 60, 20, 2), true},
		"some of it is idle":                 {parts(12, 66, 20, 2), false},
		"a server that takes less than that": {parts(2, 60, 36, 2), false},
		"others take a part of it":           {parts(2, 66, 20, 12), false},
		"it has not told":                    {slot{length: time.Second}, false},
	} {
		require.Equal(t, c.gives, new(way).see(&c.slot), name)
	}
}

// The kernel counts in ticks, so that one slot says little.
func TestWayOfManySlots(t *testing.T) {
	var w way
	shared, disturbed := parts(2, 72, 24, 2), parts(2, 48, 20, 30)
	require.True(t, w.see(&shared))
	odd := parts(2, 62, 20, 16)
	require.True(t, w.see(&odd), "one slot")
	require.False(t, w.see(&disturbed))
	require.False(t, w.see(&disturbed))
	require.False(t, w.see(&shared), "the one before counts")
	for range 5 {
		w.see(&shared)
	}
	require.True(t, w.see(&shared))
}
