package page

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func texts(a axis) []string {
	var out []string
	for _, t := range a.ticks {
		if t.text != "" {
			out = append(out, t.text)
		}
	}

	return out
}

func TestLinearAxis(t *testing.T) {
	for _, tt := range []struct {
		lo, hi float64
		want   []string
	}{
		{0, 7911, []string{"0", "2,000", "4,000", "6,000", "8,000"}},
		{0, 8000, []string{"0", "2,000", "4,000", "6,000", "8,000"}},
		{0, 29_874, []string{"0", "10,000", "20,000", "30,000"}},
		{0, 3, []string{"0", "1", "2", "3"}},
		{0, 0.0007, []string{"0", "0.0002", "0.0004", "0.0006", "0.0008"}},
		{0, 2.2e9, []string{"0", "500M", "1G", "1.5G", "2G", "2.5G"}},
		{0, 0, []string{"0", "0.2", "0.4", "0.6", "0.8", "1"}},
		{0.31, 1.62, []string{"0", "0.5", "1", "1.5", "2"}},
		{0.986, 1.013, []string{"0.98", "0.99", "1", "1.01", "1.02"}},
	} {
		a := linearAxis("", tt.lo, tt.hi, 0, 100, tickText)
		require.Equal(t, tt.want, texts(a), "%g to %g", tt.lo, tt.hi)
		require.LessOrEqual(t, a.lo, tt.lo)
		require.GreaterOrEqual(t, a.hi, tt.hi)
	}
}

func TestLogAxis(t *testing.T) {
	for _, tt := range []struct {
		lo, hi float64
		want   []string
	}{
		{0.4, 30, []string{"0.2", "0.5", "1", "2", "5", "10", "20", "50"}},
		{3, 3, []string{"2", "5"}},
		{5, 5, []string{"5", "10", "20", "50"}},
		{0.12, 900, []string{"0.1", "1", "10", "100", "1,000"}},
		{1e-9, 1e15, []string{"1e-09", "0.00001", "0.1", "1,000", "10M", "100G", "1000T"}},
	} {
		a := logAxis("", tt.lo, tt.hi, 0, 100)
		if tt.lo != tt.hi {
			require.Equal(t, tt.want, texts(a), "%g to %g", tt.lo, tt.hi)
		}
		require.LessOrEqual(t, a.lo, tt.lo)
		require.GreaterOrEqual(t, a.hi, tt.hi)
		require.Less(t, a.lo, a.hi)
	}
}

func TestStepAxis(t *testing.T) {
	a := stepAxis("", []float64{1, 8, 16, 32, 64, 128, 512, 8}, 0, 360)
	require.Equal(t, []string{"1", "8", "16", "32", "64", "128", "512"}, texts(a))
	eight, ok := a.at(8)
	require.True(t, ok)
	require.InDelta(t, 120, eight, 1e-9, "three of nine octaves")

	one := stepAxis("", []float64{8, 8}, 0, 100)
	require.Equal(t, []string{"8"}, texts(one))
	require.InDelta(t, 50, one.ticks[0].at, 1e-9, "the only step is in the middle")

	require.Empty(t, texts(stepAxis("", []float64{-1, math.NaN(), math.Inf(1)}, 0, 100)))
}

func TestTicksDoNotOverlap(t *testing.T) {
	var values []float64
	for i := range 300 {
		values = append(values, float64(i+1))
	}
	a := stepAxis("", values, 0, 300)
	require.Len(t, a.ticks, 300)
	shown := texts(a)
	require.Equal(t, "1", shown[0])
	require.Equal(t, "300", shown[len(shown)-1])
	require.Contains(t, shown, "64")
	end := math.Inf(-1)
	for _, tick := range a.ticks {
		if tick.text != "" {
			require.GreaterOrEqual(t, tick.at-textWidth(tick.text)/2, end)
			end = tick.at + textWidth(tick.text)/2
		}
	}
}

func TestScaleHasNoPlaceForWhatCannotBeDrawn(t *testing.T) {
	linear, logarithmic := scale{hi: 10, to: 100}, scale{log: true, lo: 1, hi: 10, to: 100}
	for _, v := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1), 1e300} {
		_, ok := linear.at(v)
		require.False(t, ok, "%g", v)
		_, ok = logarithmic.at(v)
		require.False(t, ok, "%g", v)
	}
	_, ok := logarithmic.at(0)
	require.False(t, ok)
	at, ok := linear.at(0)
	require.True(t, ok)
	require.Zero(t, at)
}

func TestSpread(t *testing.T) {
	for _, tt := range []struct{ ys, want []float64 }{
		{nil, nil},
		{[]float64{50}, []float64{50}},
		{[]float64{50, 100}, []float64{50, 100}},
		{[]float64{50, 50}, []float64{50 - textHeight/2, 50 + textHeight/2}},
		{[]float64{0, 0}, []float64{10, 10 + textHeight}},
		{[]float64{300, 300, 300}, []float64{200 - 2*textHeight, 200 - textHeight, 200}},
		{[]float64{50, 60, 70}, []float64{60 - textHeight, 60, 60 + textHeight}},
	} {
		got := append([]float64(nil), tt.ys...)
		spread(got, 10, 200, textHeight)
		require.InDeltaSlice(t, tt.want, got, 1e-9, "%v", tt.ys)
	}
}

func TestChosen(t *testing.T) {
	groups := make([]report.Group, 64)
	for i := range groups {
		groups[i].Clients = i
	}
	some := chosen(groups, 8)
	require.Len(t, some, 8)
	require.Equal(t, 0, some[0].Clients)
	require.Equal(t, 63, some[7].Clients)
	require.Equal(t, groups[:3], chosen(groups[:3], 8))
}

func TestTexts(t *testing.T) {
	require.Equal(t, "7,911/s", rate(7910.6))
	require.Equal(t, "0.000133/s", rate(0.000133))
	require.Equal(t, "10/s", rate(9.999))
	require.Equal(t, "0/s", rate(0))
	require.Equal(t, "1e+300/s", rate(1e300))
	require.Equal(t, "512 B", bytesText(512))
	require.Equal(t, "1.0 KiB", bytesText(1024))
	require.Equal(t, "1.0 MiB", bytesText(1<<20-1))
	require.Equal(t, "16.0 EiB", bytesText(math.MaxUint64))
	require.Equal(t, "1e+300ms", millis(1e300))
	require.Equal(t, "4.084ms", millis(4.084))
	require.Equal(t, "1m 9s", span(69))
	require.Equal(t, "a rathe…ng name", shortened("a rather long name"))
	require.Equal(t, "fifteen letters", shortened("fifteen letters"))
	require.Equal(t, "z", letter(25))
	require.Equal(t, "a27", letter(26))
	require.Equal(t, "1 client", report.Counted(1, "client"))
	require.Equal(t, "1,000 clients", report.Counted(1000, "client"))
	require.Equal(t, `{"a":"<"}`, report.PlainText(map[string]any{"a": "<"}))
	require.NotEmpty(t, report.PlainText(func() {}))
}
