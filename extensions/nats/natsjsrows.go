package nats

import (
	"slices"
	"sync"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/nats/kvlayout/rows"
)

// allRows are the rows of the published key-value benchmark in order, then the fair comparisons,
// then go-orb's compatible mode.
var allRows = sync.OnceValue(func() []rows.Row { //nolint:gochecknoglobals // a constant
	return slices.Concat(rows.Rows(), rows.LikeForLike(), rows.Compatible())
})

// natsjsRows makes its objects on demand, as most VUs use none.
type natsjsRows struct {
	*module

	made map[int]sobek.Value
}

// Len implements sobek.DynamicArray.
func (*natsjsRows) Len() int { return len(allRows()) }

// Get implements sobek.DynamicArray.
func (r *natsjsRows) Get(i int) sobek.Value {
	if i < 0 || i >= r.Len() {
		return nil
	}
	if r.made == nil {
		r.made = map[int]sobek.Value{}
	}
	if r.made[i] == nil {
		r.made[i] = r.description(&allRows()[i])
	}

	return r.made[i]
}

// Set implements sobek.DynamicArray.
func (*natsjsRows) Set(int, sobek.Value) bool { return false }

// SetLen implements sobek.DynamicArray.
func (*natsjsRows) SetLen(int) bool { return false }

func (r *natsjsRows) description(row *rows.Row) sobek.Value {
	published := sobek.Null()
	if p := row.Published; p != (rows.Published{}) {
		published = r.plainObject(map[string]any{
			"iterations": p.Iterations, "nanoseconds": p.Nanoseconds, "bytes": p.Bytes, "allocations": p.Allocations,
		})
	}

	return r.plainObject(map[string]any{
		"name": row.Name, "pair": row.Pair, "layout": string(row.Layout), "loop": string(row.Loop), "fill": string(row.Fill),
		"large": row.Large, "limit": row.Limit, "offset": row.Offset, "published": published,
	})
}
