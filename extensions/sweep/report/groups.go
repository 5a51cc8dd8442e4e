package report

// Key is what tells the steps of a run apart, and by which those of two runs are matched.
type Key struct {
	Op      string
	Clients int
	Rate    float64 // zero but for open-loop steps
}

// Key returns the step's.
func (s *Step) Key() Key { return Key{Op: s.Op, Clients: s.Clients, Rate: s.Rate} }

// Group is a step with all its repeats.
type Group struct {
	Key
	Steps []*Step // in the order of their repeats
}

// Groups gathers the repeats of each step, in the order in which the steps first appear.
func (r *Report) Groups() []Group {
	var groups []Group
	index := map[Key]int{}
	for i := range r.Steps {
		s := &r.Steps[i]
		at, known := index[s.Key()]
		if !known {
			at = len(groups)
			index[s.Key()] = at
			groups = append(groups, Group{Key: s.Key()})
		}
		groups[at].Steps = append(groups[at].Steps, s)
	}

	return groups
}

// Values returns one figure of each repeat.
func (g *Group) Values(figure func(*Step) float64) []float64 {
	values := make([]float64, 0, len(g.Steps))
	for _, s := range g.Steps {
		values = append(values, figure(s))
	}

	return values
}
