package rows

import "sync"

// All clients share largeValue; do not change it.
var largeValue = sync.OnceValue(func() []byte { //nolint:gochecknoglobals // a constant
	value := make([]byte, 1<<20)
	for i := range value {
		value[i] = byte(i)
	}

	return value
})
