package testrun

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sirupsen/logrus/hooks/test"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// A step a second is not written every second, and nothing is written any more when the report is
// there.
func TestStepsOfASecondAreWrittenInBatches(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ramp"+journalSuffix)
	synctest.Test(t, func(t *testing.T) {
		logger, logs := test.NewNullLogger()
		run := &lib.TestRunState{TestPreInitState: &lib.TestPreInitState{Logger: logger}}
		r := Of(metrics.NewRegistry())
		rep := r.addReport("ramp", map[string]any{})
		r.keep.journals = map[string]*journal{"ramp": {release: func() {}, path: path, next: time.Now().Add(batchEvery)}}
		batch := func() {
			r.batch(rep, run)
			synctest.Wait()
		}

		batch()
		require.NoFileExists(t, path)
		time.Sleep(batchEvery)
		batch()
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		written, err := report.Read(raw)
		require.NoError(t, err)
		require.True(t, written.Interrupted, "it is not at its end")
		require.False(t, rep.Interrupted)

		require.NoError(t, os.Remove(path))
		batch()
		require.NoFileExists(t, path, "not again at once")
		time.Sleep(time.Hour)
		batch()
		require.FileExists(t, path)
		require.NoError(t, os.Remove(path))
		time.Sleep(batchEvery)
		batch()
		require.NoFileExists(t, path, "after an hour, every three minutes")

		r.keep.remove("ramp")
		time.Sleep(time.Hour)
		batch()
		require.NoFileExists(t, path, "the report is there")
		require.Empty(t, logs.AllEntries())
	})
}
