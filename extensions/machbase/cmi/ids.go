package cmi

type ids struct {
	used [maxStatements]bool
	next uint32
}

func (s *ids) take() (uint32, bool) {
	for range maxStatements {
		id := s.next
		s.next = (s.next + 1) % maxStatements
		if !s.used[id] {
			s.used[id] = true

			return id, true
		}
	}

	return 0, false
}

func (s *ids) give(id uint32) { s.used[id] = false }
