package memcached

import "github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"

// hits counts the requested keys that were found and not found.
type hits struct{ found, missed int }

func (h *hits) of(status wire.Status) {
	if status == wire.NotFound {
		h.missed++
	} else {
		h.found++
	}
}

// readsValue reports whether a verb reads a value, which makes it a hit or a miss.
func readsValue(verb wire.Verb) bool {
	switch verb { //nolint:exhaustive // other verbs read no value
	case wire.Get, wire.Gets, wire.Gat, wire.Gats, wire.MetaGet:
		return true
	default:
		return false
	}
}
