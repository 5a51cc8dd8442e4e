package memcached

import "github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"

// hits are how many of the keys that were asked for were found, and how many were not.
type hits struct{ found, missed int }

// of counts a key that was asked for.
func (h *hits) of(status wire.Status) {
	if status == wire.NotFound {
		h.missed++
	} else {
		h.found++
	}
}

// asks tells whether a verb asks for a value, which is a hit or a miss.
func asks(verb wire.Verb) bool {
	switch verb { //nolint:exhaustive // the others do not
	case wire.Get, wire.Gets, wire.Gat, wire.Gats, wire.MetaGet:
		return true
	default:
		return false
	}
}
