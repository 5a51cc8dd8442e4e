package workload

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func (k *Keys) check() error {
	if k.Count < 1 || k.Count > maxKeys {
		return fmt.Errorf("option keys.count must be from 1 to %d, not %d", maxKeys, k.Count)
	}
	if err := k.checkText(); err != nil {
		return err
	}
	if known := []string{Uniform, Zipf, HotCold, Sequential, Gaussian}; !slices.Contains(known, k.Distribution) {
		return fmt.Errorf("option keys.distribution must be %s, not %q", strings.Join(known, ", "), k.Distribution)
	}

	return k.checkParameters()
}

// checkParameters checks the parameters of distributions. Their defaults are valid.
func (k *Keys) checkParameters() error {
	last, count := float64(k.Count-1), float64(k.Count)
	for _, p := range []struct {
		name  string
		value *float64
		of    []string
		ok    func(v float64) bool // also rejects NaN
		wants string
	}{
		{"hotPercent", k.HotPercent, []string{HotCold, Zipf}, func(v float64) bool { return v > 0 && v < 100 }, "above 0 and below 100"},
		{"hotAccess", k.HotAccess, []string{HotCold}, func(v float64) bool { return v >= 0 && v <= 100 }, "from 0 to 100 percent"},
		{
			"exponent", k.Exponent, []string{Zipf}, func(v float64) bool { return v > 0 && v <= maxExponent },
			fmt.Sprintf("above 0 and at most %d", maxExponent),
		},
		{"mean", k.Mean, []string{Gaussian}, func(v float64) bool { return v >= 0 && v <= last }, fmt.Sprintf("a key from 0 to %v", last)},
		{
			"deviation", k.Deviation, []string{Gaussian}, func(v float64) bool { return v > 0 && v <= count },
			fmt.Sprintf("above 0 and at most keys.count (%d)", k.Count),
		},
	} {
		switch {
		case p.value == nil:
		case !slices.Contains(p.of, k.Distribution):
			return fmt.Errorf("option keys.%s is for the distribution %s, not for %s", p.name, strings.Join(p.of, " and "), k.Distribution)
		case !p.ok(*p.value):
			return fmt.Errorf("option keys.%s must be %s, not %v", p.name, p.wants, *p.value)
		}
	}
	if k.Distribution == HotCold && k.hot() == 0 {
		return fmt.Errorf("option keys.hotPercent (%v) of keys.count (%d) must be at least one key", or(k.HotPercent, defaultHotPercent), k.Count)
	}

	return nil
}

// memcached does not accept spaces and control characters in keys.
func (k *Keys) checkText() error {
	for _, c := range []byte(k.Prefix) {
		if c <= ' ' || c >= 0x7f {
			return fmt.Errorf("option keys.prefix must be of visible ASCII characters without spaces, not %q", k.Prefix)
		}
	}
	least := len(k.Prefix) + len(strconv.Itoa(k.Count-1))
	if size := k.size(); size < least || size > maxKeySize {
		return fmt.Errorf("option keys.size must be from %d, for prefix %q and %d keys, to %d bytes, not %d",
			least, k.Prefix, k.Count, maxKeySize, size)
	}

	return nil
}
