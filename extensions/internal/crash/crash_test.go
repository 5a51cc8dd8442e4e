package crash

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

func index(list []int, i int) int { return list[i] }

// Not parallel, because the log belongs to the process.
func TestPanicsBecomeErrors(t *testing.T) {
	var said []string
	SetLog(func(text string) { said = append(said, text) })
	for range 3 {
		err := Guard(func() error { return errors.Join(nil, error(nil)) })
		require.NoError(t, err)
		require.Equal(t, io.EOF, Guard(func() error { return io.EOF }))
		err = Guard(func() error {
			index(nil, 5)

			return nil
		})
		var e *Error
		require.ErrorAs(t, err, &e)
		require.ErrorContains(t, err, "a fault in k6's extensions or in a library")
		require.ErrorContains(t, err, "index out of range [5] with length 0")
	}
	require.Len(t, said, 1, "each place once")
	require.Contains(t, said[0], "crash.index(", "the stack")

	require.ErrorIs(t, Guard(func() error { panic(io.EOF) }), io.EOF)
	require.Len(t, said, 2)
	func() {
		defer Contain("a goroutine")
		panic("elsewhere")
	}()
	require.Len(t, said, 3)
	require.Contains(t, said[2], "a goroutine panicked (logged once per place): elsewhere\n")
	SetLog(func(string) {})
}

func TestCatchCostsNoAllocation(t *testing.T) {
	do := func() (err error) {
		defer Catch(&err)

		return nil
	}
	require.Zero(t, testing.AllocsPerRun(100, func() { _ = do() }))
}
