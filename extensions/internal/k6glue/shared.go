package k6glue

import "sync"

// Shared holds what clients of several VUs use together, by what they must have in common for that.
// The zero value is ready.
type Shared[K comparable, V any] struct {
	mu    sync.Mutex
	known map[K]*share[V]
}

type share[V any] struct {
	value V
	users int
}

// Join returns what all clients with the key use, which the first of them opens: open must not wait
// for anything. Its error is the only one. Whoever has joined must leave.
func (s *Shared[K, V]) Join(key K, open func() (V, error)) (V, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.known[key]
	if one == nil {
		value, err := open()
		if err != nil {
			return value, err
		}
		if s.known == nil {
			s.known = map[K]*share[V]{}
		}
		one = &share[V]{value: value}
		s.known[key] = one
	}
	one.users++

	return one.value, nil
}

// Leave calls end, with what the clients with the key have used, when the last of them leaves.
func (s *Shared[K, V]) Leave(key K, end func(V)) {
	s.mu.Lock()
	one := s.known[key]
	one.users--
	last := one.users == 0
	if last {
		delete(s.known, key)
	}
	s.mu.Unlock()
	if last {
		end(one.value)
	}
}
