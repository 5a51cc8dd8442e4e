package rows

import "sync"

// largeValue returns the value of the rows with large ones: one for all clients, and not to be
// changed.
var largeValue = sync.OnceValue(func() []byte { //nolint:gochecknoglobals // a constant
	value := make([]byte, 1<<20)
	for i := range value {
		value[i] = byte(i)
	}

	return value
})
