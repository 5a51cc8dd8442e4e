package report

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSpan(t *testing.T) {
	for _, tt := range []struct {
		seconds float64
		want    string
	}{
		{0, "0.000s"},
		{0.0004, "0.000s"},
		{0.0005, "0.001s"},
		{0.178, "0.178s"},
		{1, "1.000s"},
		{9.999, "9.999s"},
		{9.9994, "9.999s"},
		{9.9995, "10.0s"},
		{9.9999, "10.0s"},
		{10, "10.0s"},
		{12.5, "12.5s"},
		{12.54, "12.5s"},
		{12.56, "12.6s"},
		{59.94, "59.9s"},
		{59.96, "1m 0s"},
		{60, "1m 0s"},
		{69, "1m 9s"},
		{69.4, "1m 9s"},
		{69.6, "1m10s"},
		{119.6, "2m 0s"},
		{754, "12m34s"},
		{3599.4, "59m59s"},
		{3599.6, "60m 0s"},
		{3600, "60m 0s"},
		{7384, "123m 4s"},
		{-1, "-1.000s"},
		{-75, "-75.000s"},
	} {
		require.Equal(t, tt.want, Span(tt.seconds), "%g s", tt.seconds)
	}
}

func TestMillis(t *testing.T) {
	for _, tt := range []struct {
		ms   float64
		want string
	}{
		{0, "0.000ms"},
		{0.0004, "0.000ms"},
		{0.178, "0.178ms"},
		{1.2344, "1.234ms"},
		{9.9994, "9.999ms"},
		{9.9999, "10.0ms"},
		{10, "10.0ms"},
		{12.54, "12.5ms"},
		{99.94, "99.9ms"},
		{99.96, "100ms"},
		{100, "100ms"},
		{1234, "1234ms"},
		{1234.6, "1235ms"},
		{3_600_000, "3600000ms"},
		{-1.5, "-1.500ms"},
	} {
		require.Equal(t, tt.want, Millis(tt.ms), "%g ms", tt.ms)
	}
}

func TestMillisShowsAtMostFourDigitsBelowASecond(t *testing.T) {
	for ms := 0.0; ms < 999.4; ms += 0.0173 {
		digits := strings.NewReplacer(".", "", "ms", "").Replace(Millis(ms))
		require.LessOrEqual(t, len(digits), 4, "%g ms is %s", ms, Millis(ms))
	}
}

func TestThousands(t *testing.T) {
	for _, tt := range []struct {
		n    int64
		want string
	}{
		{0, "0"},
		{1, "1"},
		{999, "999"},
		{1000, "1,000"},
		{10_000, "10,000"},
		{999_999, "999,999"},
		{1_000_000, "1,000,000"},
		{-1, "-1"},
		{-999, "-999"},
		{-1000, "-1,000"},
		{-123_456, "-123,456"},
		{math.MaxInt64, "9,223,372,036,854,775,807"},
		{math.MinInt64, "-9,223,372,036,854,775,808"},
	} {
		require.Equal(t, tt.want, Thousands(tt.n))
	}
}

func TestRate(t *testing.T) {
	for _, tt := range []struct {
		n       int64
		elapsed time.Duration
		want    float64
	}{
		{100, time.Second, 100},
		{100, 2500 * time.Millisecond, 40},
		{0, time.Second, 0},
		{100, 0, 0},
		{100, -time.Second, 0},
	} {
		require.InDelta(t, tt.want, Rate(tt.n, tt.elapsed), 1e-9, "%d in %s", tt.n, tt.elapsed)
	}
}

func TestThisHost(t *testing.T) {
	h := ThisHost()
	require.Positive(t, h.Cores)
	require.Positive(t, h.MemBytes)
	require.Regexp(t, `^\w+/\w+$`, h.OS)
}

func TestPerSecond(t *testing.T) {
	for _, tt := range []struct {
		rate float64
		want string
	}{
		{0.5, "0.5/s"},
		{1, "1/s"},
		{9.75, "9.75/s"},
		{10.4, "10/s"},
		{999.6, "1,000/s"},
		{25_000, "25,000/s"},
	} {
		require.Equal(t, tt.want, perSecond(tt.rate))
	}
}
