package main

import (
	"context"
	"io"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLogOnAFullDiskIsReported(t *testing.T) {
	settings, err := readFlags([]string{"-keys", goodKeys(t), "-log", "/dev/full"}, io.Discard)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	err = run(ctx, settings, io.Discard)
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.ErrorContains(t, err, "-log: the log of calls is not whole: ")
}
