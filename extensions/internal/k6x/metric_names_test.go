package k6x

import (
	"bytes"
	"testing"

	"github.com/sirupsen/logrus"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/metrics"
)

func TestHintAtMetrics(t *testing.T) {
	runtime := modulestest.NewRuntime(t)
	env := runtime.VU.InitEnvField
	var log bytes.Buffer
	logger := &logrus.Logger{Out: &log, Formatter: &logrus.TextFormatter{DisableTimestamp: true, DisableQuote: true}, Level: logrus.InfoLevel, Hooks: logrus.LevelHooks{}}
	env.Logger = logger
	for _, name := range []string{"cache_ops", "cache_failed", "cache_op_duration", "cache_hits", "other_hits"} {
		env.Registry.MustNewMetric(name, metrics.Counter)
	}
	HintAtMetrics(runtime.VU)
	HintAtMetrics(runtime.VU)
	require.Len(t, logger.Hooks[logrus.ErrorLevel], 1)

	said := func(name string) string {
		thresholds := metrics.NewThresholds([]string{"count>0"})
		require.NoError(t, thresholds.Parse())
		err := thresholds.Validate(name, env.Registry)
		require.Error(t, err)
		log.Reset()
		logger.Error(err.Error())
		_, after, found := bytes.Cut(log.Bytes(), []byte(" found"))
		require.True(t, found, log.String())

		return string(bytes.TrimSpace(after))
	}
	for name, want := range map[string]string{
		"cache_op_durations{op:warm}": "; did you mean cache_op_duration?",
		"cache_hit":                   "; did you mean cache_hits?",
		"cache_req_failed{op:get}":    "; there are cache_failed, cache_hits, cache_op_duration, cache_ops",
		"other_hit":                   "",
		"http_duration":               "",
	} {
		require.Equal(t, want, said(name), name)
	}

	log.Reset()
	logger.Error(`anything else`)
	require.Equal(t, "level=error msg=anything else\n", log.String())
}
