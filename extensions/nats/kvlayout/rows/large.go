package rows

import "sync"

// largeValue returns the large value. All clients share it; do not change it.
var largeValue = sync.OnceValue(func() []byte { //nolint:gochecknoglobals // a constant
	value := make([]byte, 1<<20)
	for i := range value {
		value[i] = byte(i)
	}

	return value
})
