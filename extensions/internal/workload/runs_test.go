package workload

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modules"
)

type fakeHost struct {
	Host

	vu fakeVU
}

type fakeVU struct {
	modules.VU

	ctx context.Context
}

func (v fakeVU) Context() context.Context { return v.ctx }

func (h *fakeHost) VU() modules.VU       { return h.vu }
func (*fakeHost) Emit()                  {}
func (*fakeHost) Elapsed(time.Duration)  {}
func (*fakeHost) Traffic() (_, _ uint64) { return 0, 0 }

func TestAClosedStoreEndsARun(t *testing.T) {
	host := &fakeHost{vu: fakeVU{ctx: t.Context()}}
	runs, ops := NewRuns(host, &Shared{}, host), 0
	err := runs.Do(func(ctx context.Context) error {
		for {
			if err := runs.Next(ctx, 1); err != nil {
				return err
			}
			ops++
			runs.Ended(nil, time.Millisecond, fmt.Errorf("%w: shut down", ErrClosed))
		}
	})
	require.ErrorIs(t, err, ErrClosed)
	require.Equal(t, 1, ops, "nothing can come after it")
}
