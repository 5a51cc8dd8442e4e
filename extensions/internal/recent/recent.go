// Package recent is a map for what is mostly asked for again and again.
package recent

// Map is a map that has what was asked for last at hand: most operations are of the same kind as
// the one before. The zero value is empty.
type Map[K comparable, V any] struct {
	known map[K]V
	any   bool // of the following
	key   K
	value V
}

// Get returns what was put in under the key, and whether anything was.
func (r *Map[K, V]) Get(key K) (value V, known bool) {
	if r.any && r.key == key {
		return r.value, true
	}
	if value, known = r.known[key]; known {
		r.any, r.key, r.value = true, key, value
	}

	return value, known
}

// Put keeps a value under the key.
func (r *Map[K, V]) Put(key K, value V) {
	if r.known == nil {
		r.known = map[K]V{}
	}
	r.known[key] = value
	r.any, r.key, r.value = true, key, value
}

// Delete removes the key, if it is there.
func (r *Map[K, V]) Delete(key K) {
	delete(r.known, key)
	if r.key == key {
		r.any = false
	}
}
