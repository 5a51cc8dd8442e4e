package workload

import (
	"fmt"
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
	if err := k.checkDistribution(); err != nil {
		return err
	}

	return k.checkForeign()
}

func (k *Keys) checkDistribution() error {
	switch k.Distribution {
	case Uniform, Sequential:
		return nil
	case Zipf:
		if e := or(k.Exponent, defaultExponent); !(e > 0 && e <= maxExponent) {
			return fmt.Errorf("option keys.exponent must be above 0 and at most %d, not %v", maxExponent, e)
		}

		return k.checkHot()
	case HotCold:
		if a := or(k.HotAccess, defaultHotAccess); !(a >= 0 && a <= 100) {
			return fmt.Errorf("option keys.hotAccess must be from 0 to 100 percent, not %v", a)
		}

		return k.checkHot()
	case Gaussian:
		return k.checkGaussian()
	default:
		return fmt.Errorf("option keys.distribution must be %s, not %q",
			strings.Join([]string{Uniform, Zipf, HotCold, Sequential, Gaussian}, ", "), k.Distribution)
	}
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

func (k *Keys) checkHot() error {
	percent := or(k.HotPercent, defaultHotPercent)
	if !(percent > 0 && percent < 100) {
		return fmt.Errorf("option keys.hotPercent must be above 0 and below 100, not %v", percent)
	}
	if k.Distribution == HotCold && k.hot() == 0 {
		return fmt.Errorf("option keys.hotPercent (%v) of keys.count (%d) must be at least one key", percent, k.Count)
	}

	return nil
}

func (k *Keys) checkGaussian() error {
	last := float64(k.Count - 1)
	if m := or(k.Mean, last/2); !(m >= 0 && m <= last) {
		return fmt.Errorf("option keys.mean must be a key from 0 to %v, not %v", last, m)
	}
	if d := or(k.Deviation, k.deviation()); !(d > 0 && d <= float64(k.Count)) {
		return fmt.Errorf("option keys.deviation must be above 0 and at most keys.count (%d), not %v", k.Count, d)
	}

	return nil
}

func (k *Keys) checkForeign() error {
	for _, option := range []struct {
		name  string
		value *float64
		of    []string
	}{
		{"hotPercent", k.HotPercent, []string{HotCold, Zipf}},
		{"hotAccess", k.HotAccess, []string{HotCold}},
		{"exponent", k.Exponent, []string{Zipf}},
		{"mean", k.Mean, []string{Gaussian}},
		{"deviation", k.Deviation, []string{Gaussian}},
	} {
		names := strings.Join(option.of, " and ")
		if option.value != nil && !strings.Contains(names, k.Distribution) {
			return fmt.Errorf("option keys.%s is for the distribution %s, not for %s", option.name, names, k.Distribution)
		}
	}

	return nil
}
