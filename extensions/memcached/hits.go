package memcached

import "github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"

type hits struct{ found, missed int }

func (h *hits) of(status wire.Status) {
	if status == wire.NotFound {
		h.missed++
	} else {
		h.found++
	}
}

func readsValue(verb wire.Verb) bool {
	return verb >= wire.Get && verb <= wire.Gats || verb == wire.MetaGet
}
