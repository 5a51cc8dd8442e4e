package main

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEmptyWork(t *testing.T) {
	t.Parallel()
	r, err := plainWorks["empty"].run(2, 0, 10*time.Millisecond)
	require.NoError(t, err)
	require.Positive(t, r.Rate)
	require.Positive(t, r.P50)
	require.GreaterOrEqual(t, r.P99, r.P50)
	require.Zero(t, r.Server, "there is no server")
}

// A failed operation ends the run, because its figures would be wrong.
func TestFailureEndsTheRun(t *testing.T) {
	t.Parallel()
	closed := 0
	w := plainWork{connect: func(string, int) (client, error) {
		return client{func() error { return errors.New("broken") }, func() error { closed++; return nil }}, nil
	}}
	_, err := w.run(2, 0, time.Second)
	require.ErrorContains(t, err, "broken")
	require.Equal(t, 2, closed)
	w.connect = func(string, int) (client, error) { return client{}, errors.New("nobody listens") }
	_, err = w.run(2, 0, time.Second)
	require.ErrorContains(t, err, "client 1: nobody listens")
}

func TestAddressMustBeSet(t *testing.T) {
	t.Setenv("REDIS_URL", "")
	_, err := plainWorks["redis"].run(1, 0, time.Second)
	require.ErrorContains(t, err, "REDIS_URL must be set")
}
