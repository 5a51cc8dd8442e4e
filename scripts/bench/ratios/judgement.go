package main

import "fmt"

// judgement is how k6 stands to one bound.
type judgement struct {
	// row says what is judged: the work, the clients, and beside what.
	row string
	// figure is the figure's name, and shown the figure with its bound.
	figure, shown string
	outcome       outcome
	// reason says why k6 cannot hold the bound, where that is known.
	reason string
}

// judged is the judgement of a row's figure.
func (j bounded) judged(row, figure string) judgement {
	return judgement{row: row, figure: figure, shown: j.String(), outcome: j.outcome()}
}

// explained is that of one that is crossed, where there is a reason. Beside a benchmark that people
// use, and the floor in C, it is no fault then, and the bench says that k6 is behind the bound.
func (j bounded) explained(of judgement, reason string, peer bool) judgement {
	of.reason = reason
	if of.outcome == crossed && reason != "" && peer {
		of.outcome, of.shown = behind, j.with(behind)
	}

	return of
}

// judged is that of a figure that is no ratio: the worst one of all rounds.
func (b bound) judged(row, figure string, worst float64) judgement {
	j := judgement{row: row, figure: figure, outcome: held}
	if !b.good(worst) {
		j.outcome = crossed
	}
	j.shown = fmt.Sprintf("%.4g (%s%s)", worst, b, j.outcome.suffix())

	return j
}

// holds tells whether no bound of a result is crossed.
func holds(r result) bool {
	for _, j := range r.judgements() {
		if j.outcome == crossed {
			return false
		}
	}

	return true
}
