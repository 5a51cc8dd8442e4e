package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestPage(t *testing.T) {
	chosen := writePoints(t)
	var out bytes.Buffer
	args := []string{"page", "-influxdb", os.Getenv("INFLUXDB_URL"), "-scenario", *chosen.Scenario, "-instance", newRun, "-baseline", baseRun}
	if err := run(args, &out); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	for text, times := range map[string]int{
		"<svg": 9, "<table>": 2, "This is not Grafana": 1, "a/1 (new)": 4, "Compared with base": 1, "NaN": 0, "ZgotmplZ": 0,
		"<td>3k/s</td>": 1, "<td>75%</td>": 2, "<td>&#43;50.0%</td>": 1, "<td>&#43;0.0%</td>": 6,
	} {
		if have := strings.Count(page, text); have != times {
			t.Errorf("%q is in the page %d times, not %d", text, have, times)
		}
	}
}

// A run of which nothing is known has no page of empty charts that look like a run of nothing.
func TestPageOfNothing(t *testing.T) {
	var out bytes.Buffer
	err := run([]string{"page", "-influxdb", os.Getenv("INFLUXDB_URL"), "-scenario", "none", "-instance", "none"}, &out)
	if err == nil || out.Len() > 0 {
		t.Errorf("the error is %v, with %d bytes of a page", err, out.Len())
	}
}

func TestFormat(t *testing.T) {
	for want, c := range map[string]struct {
		value float64
		unit  string
	}{
		"0":        {0, ""},
		"12":       {12, "none"},
		"999/s":    {999, "ops"},
		"1k/s":     {1000, "ops"},
		"71.4k/s":  {71448, "ops"},
		"1.23MB/s": {1234567, "Bps"},
		"5GB/s":    {5e9, "Bps"},
		"0.0103ms": {0.010279, "ms"},
		"155ms":    {155.17, "ms"},
		"1.38s":    {1380, "ms"},
		"58.2%":    {0.582, "percentunit"},
		"100%":     {1, "percentunit"},
	} {
		if have := format(c.value, c.unit); have != want {
			t.Errorf("%v %s is %s, not %s", c.value, c.unit, have, want)
		}
	}
}

// The axis on the left ends at or above the highest value, and one of powers of ten begins at or
// below the lowest.
func TestAxes(t *testing.T) {
	for _, c := range []struct {
		of       figure
		values   []float64
		from, to string
	}{
		{opsPerSecond, []float64{10, 71448}, "0/s", "80k/s"},
		{opsPerSecond, []float64{0, 0}, "0/s", "1/s"},
		{hitRate, []float64{1}, "0%", "100%"},
		{p99, []float64{0.02, 155}, "0.01ms", "1s"},
	} {
		var points []point
		for i, value := range c.values {
			points = append(points, point{float64(i + 1), value})
		}
		f := newFrame(panel{kind: againstClients, figures: []figure{c.of}}, []line{{points: points}}, 12, 8)
		axis := f.upwards()
		if from, to := format(axis[0], c.of.unit()), format(axis[len(axis)-1], c.of.unit()); from != c.from || to != c.to {
			t.Errorf("%s of %v: the axis goes from %s to %s, not from %s to %s", c.of.name(), c.values, from, to, c.from, c.to)
		}
		for _, p := range points {
			if x, y := f.x(p.x), f.y(p.y); x < left || x > f.width || y < top-0.1 || y > f.height-bottom+0.1 {
				t.Errorf("%s: %v lies outside, at %v, %v", c.of.name(), p, x, y)
			}
		}
	}
}
