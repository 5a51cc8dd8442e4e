//go:build servers

package cmi_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// A Machbase with 4,096 sessions resets the next connection without an error message, and accepts
// one when another has ended.
func TestFullServer(t *testing.T) {
	const sessions = 4096
	var files syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files))
	require.Greater(t, files.Cur, uint64(sessions+100), "the test needs so many files: ulimit -n")
	server := startServer(t)
	ctx := withTimeout(t)
	all := make([]*cmi.Conn, sessions)
	for i := range all {
		all[i] = connectTo(t, server.config())
	}
	_, err := cmi.Connect(ctx, server.config())
	requireKind(t, cmi.KindBusy, err)
	require.ErrorContains(t, err, "it has no free session (it takes 4,096 at most)")
	two := server.config()
	two.Addresses = append(two.Addresses, refused(t))
	_, err = cmi.Connect(ctx, two)
	requireKind(t, cmi.KindConnect, err)

	require.NoError(t, all[0].Close())
	require.EventuallyWithT(t, func(t *assert.CollectT) {
		c, err := cmi.Connect(ctx, server.config())
		if assert.NoError(t, err) {
			assert.NoError(t, c.Close())
		}
	}, patience, 50*time.Millisecond)
}
