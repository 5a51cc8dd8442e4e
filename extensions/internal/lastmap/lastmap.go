// Package lastmap provides a map that caches its last lookup.
package lastmap

// Map is a map optimised for repeated lookups of one key. The zero value is empty.
type Map[K comparable, V any] struct {
	known map[K]V
	any   bool // the last lookup is valid
	key   K
	value V
}

// Get returns the key's value, and whether it exists.
func (r *Map[K, V]) Get(key K) (value V, known bool) {
	if r.any && r.key == key {
		return r.value, true
	}
	if value, known = r.known[key]; known {
		r.any, r.key, r.value = true, key, value
	}

	return value, known
}

// Put sets the key's value.
func (r *Map[K, V]) Put(key K, value V) {
	if r.known == nil {
		r.known = map[K]V{}
	}
	r.known[key] = value
	r.any, r.key, r.value = true, key, value
}

// Delete removes the key.
func (r *Map[K, V]) Delete(key K) {
	delete(r.known, key)
	if r.key == key {
		r.any = false
	}
}
