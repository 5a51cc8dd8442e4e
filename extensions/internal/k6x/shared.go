package k6x

import "sync"

// Shared holds values that clients of several VUs share, by key. The zero value is ready to use.
type Shared[K comparable, V any] struct {
	mu    sync.Mutex
	known map[K]*share[V]
}

type share[V any] struct {
	value V
	users int
}

// Join returns the key's value, which the first client opens. open must not block. Each client that
// joins without an error must leave.
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

// Leave calls end with the key's value when its last client leaves.
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
