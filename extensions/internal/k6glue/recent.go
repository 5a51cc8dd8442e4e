package k6glue

// Recent is a map to pointers that has the key of the call before at hand: most operations are of the same kind as the one before. The zero
// value is empty.
type Recent[K comparable, V any] struct {
	known map[K]*V
	key   K
	value *V // of key; nil before the first one
}

// Get returns what was put in under the key, or nil.
func (r *Recent[K, V]) Get(key K) *V {
	if r.value != nil && r.key == key {
		return r.value
	}
	value := r.known[key]
	if value != nil {
		r.key, r.value = key, value
	}

	return value
}

// Put keeps a value, which is not nil, under the key.
func (r *Recent[K, V]) Put(key K, value *V) {
	if r.known == nil {
		r.known = map[K]*V{}
	}
	r.known[key] = value
	r.key, r.value = key, value
}
