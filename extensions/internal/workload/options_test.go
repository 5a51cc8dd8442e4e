package workload_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
)

func read(script string) (workload.Options, error) {
	options := workload.Defaults()

	return options, k6x.DecodeOptions([]byte(script), &options)
}

func TestDefaults(t *testing.T) {
	options, err := read(`{"iterations": 1, "mix": null, "keys": null, "values": null, "duration": null, "batch": null}`)
	require.NoError(t, err)
	want := workload.Defaults()
	want.Iterations = 1
	require.Equal(t, want, options, "null and undefined say nothing")
	require.NoError(t, options.Validate())
	require.Equal(t, "key:000000000042", string(options.Keys.Append(nil, 42)))
}

func TestOptions(t *testing.T) {
	options, err := read(`{"duration": "1m30s", "mix": {"getOrSet": 1, "touch": 0.5},
		"keys": {"distribution": "zipf", "count": 7, "prefix": "p", "size": 5, "exponent": 1.2, "hotPercent": 0.1},
		"values": [{"size": 10, "weight": 3}, {"size": 2000, "weight": 0.5}],
		"verify": false, "batch": 3, "pipeline": 2, "seed": 18446744073709551615, "ttl": "59500ms"}`)
	require.NoError(t, err)
	exponent, hot := 1.2, 0.1
	require.Equal(t, workload.Options{
		Duration: types.NullDurationFrom(90 * time.Second),
		Mix:      workload.Mix{GetOrSet: 1, Touch: 0.5},
		Keys:     workload.Keys{Distribution: "zipf", Count: 7, Prefix: "p", Size: 5, Exponent: &exponent, HotPercent: &hot},
		Values:   workload.Sizes{{Min: 10, Max: 10, Weight: 3}, {Min: 2000, Max: 2000, Weight: 0.5}},
		Batch:    3, Pipeline: 2, Seed: math.MaxUint64, TTL: 60,
	}, options)
}

func TestWaysOfWriting(t *testing.T) {
	for script, want := range map[string]workload.Sizes{
		`100`:                        {{Min: 100, Max: 100, Weight: 1}},
		`0`:                          {{Weight: 1}},
		`{"min": 1, "max": 9}`:       {{Min: 1, Max: 9, Weight: 1}},
		`[{"size": 3, "weight": 2}]`: {{Min: 3, Max: 3, Weight: 2}},
	} {
		options, err := read(`{"iterations": 1, "values": ` + script + `}`)
		require.NoError(t, err, script)
		require.Equal(t, want, options.Values, script)
		require.NoError(t, options.Validate())
	}
	for script, want := range map[string]time.Duration{`"30s"`: 30 * time.Second, `1500`: 1500 * time.Millisecond, `"0.5ms"`: 500 * time.Microsecond} {
		options, err := read(`{"duration": ` + script + `}`)
		require.NoError(t, err, script)
		require.Equal(t, want, options.Duration.TimeDuration(), script)
	}
}

func TestMistakes(t *testing.T) {
	const sizes = "a number of bytes, {min, max} or a list of {size, weight}"
	for script, want := range map[string]string{
		`{}`:                                        `option iterations (a number of operations) or duration (a time such as "30s") must be given`,
		`{"iterations": 1, "duration": 1000}`:       "options iterations and duration cannot both be given: iterations is 1, duration 1s",
		`{"iterations": -1}`:                        "option iterations must be at least 1, not -1",
		`{"duration": -1}`:                          "option duration must be above 0 and at most 1000h0m0s, not -1ms",
		`{"duration": "2000h"}`:                     "option duration must be above 0 and at most 1000h0m0s, not 2000h0m0s",
		`{"duration": 1e12}`:                        "option duration must be above 0 and at most 1000h0m0s, not 277777h46m40s",
		`{"duration": "soon"}`:                      `option duration must be a time such as '5s', or a number of milliseconds from 100, not soon`,
		`{"duration": [1]}`:                         `option duration must be a time such as '5s', or a number of milliseconds from 100, not [1]`,
		`{"iterations": 1, "mix": {}}`:              "option mix must give a share to at least one of get, set, delete, touch, getOrSet, getMulti",
		`{"iterations": 1, "mix": {"get": -1}}`:     "option mix.get must be a share from 0, not -1",
		`{"iterations": 1, "mix": {"get": 1e300}}`:  "option mix.get must be a share from 0, not 1e+300",
		`{"iterations": 1, "mix": {"get": "9"}}`:    "option mix.get must be a number, not a string",
		`{"iterations": 1, "mix": {"fetch": 9}}`:    `unknown option "mix.fetch"; known are get, set, delete, touch, getOrSet, getMulti`,
		`{"iterations": 1, "mix": 90}`:              "option mix must be an object, not a number",
		`{"iterations": 1, "keys": "many"}`:         `option keys must be an object, not a string`,
		`{"iterations": 1, "keys": {"count": 1.5}}`: "option keys.count must be an integer, not a number 1.5",
		`{"iterations": 1, "keys": {"prefix": 1}}`:  "option keys.prefix must be a string, not a number",
		`{"iterations": 1, "keys": {"n": 1}}`: `unknown option "keys.n"; known are distribution, count, prefix, size, ` +
			`hotPercent, hotAccess, exponent, mean, deviation`,
		`{"iterations": 1, "keys": {"distribution": "normal"}}`:                     `option keys.distribution must be uniform, zipf, hotcold, sequential, gaussian, not "normal"`,
		`{"iterations": 1, "keys": {"count": 0}}`:                                   "option keys.count must be from 1 to 1000000000000, not 0",
		`{"iterations": 1, "keys": {"count": 1000000000001}}`:                       "option keys.count must be from 1 to 1000000000000, not 1000000000001",
		`{"iterations": 1, "keys": {"prefix": "a b"}}`:                              `option keys.prefix must be of visible ASCII characters without spaces, not "a b"`,
		`{"iterations": 1, "keys": {"prefix": "é"}}`:                                `option keys.prefix must be of visible ASCII characters without spaces, not "é"`,
		`{"iterations": 1, "keys": {"size": 7}}`:                                    `option keys.size must be from 8, for prefix "key:" and 10000 keys, to 250 bytes, not 7`,
		`{"iterations": 1, "keys": {"size": 251}}`:                                  `option keys.size must be from 8, for prefix "key:" and 10000 keys, to 250 bytes, not 251`,
		`{"iterations": 1, "keys": {"size": -1}}`:                                   `option keys.size must be from 8, for prefix "key:" and 10000 keys, to 250 bytes, not -1`,
		`{"iterations": 1, "keys": {"exponent": 1}}`:                                "option keys.exponent is for the distribution zipf, not for uniform",
		`{"iterations": 1, "keys": {"distribution": "gaussian", "hotPercent": 1}}`:  "option keys.hotPercent is for the distribution hotcold and zipf, not for gaussian",
		`{"iterations": 1, "keys": {"distribution": "zipf", "hotAccess": 1}}`:       "option keys.hotAccess is for the distribution hotcold, not for zipf",
		`{"iterations": 1, "keys": {"distribution": "sequential", "mean": 1}}`:      "option keys.mean is for the distribution gaussian, not for sequential",
		`{"iterations": 1, "keys": {"distribution": "zipf", "exponent": 0}}`:        "option keys.exponent must be above 0 and at most 10, not 0",
		`{"iterations": 1, "keys": {"distribution": "zipf", "exponent": 11}}`:       "option keys.exponent must be above 0 and at most 10, not 11",
		`{"iterations": 1, "keys": {"distribution": "hotcold", "hotPercent": 100}}`: "option keys.hotPercent must be above 0 and below 100, not 100",
		`{"iterations": 1, "keys": {"distribution": "hotcold", "hotPercent": 0}}`:   "option keys.hotPercent must be above 0 and below 100, not 0",
		`{"iterations": 1, "keys": {"distribution": "hotcold", "count": 4}}`:        "option keys.hotPercent (20) of keys.count (4) must be at least one key",
		`{"iterations": 1, "keys": {"distribution": "hotcold", "hotAccess": 101}}`:  "option keys.hotAccess must be from 0 to 100 percent, not 101",
		`{"iterations": 1, "keys": {"distribution": "gaussian", "mean": 10000}}`:    "option keys.mean must be a key from 0 to 9999, not 10000",
		`{"iterations": 1, "keys": {"distribution": "gaussian", "deviation": 0}}`:   "option keys.deviation must be above 0 and at most keys.count (10000), not 0",
		`{"iterations": 1, "keys": {"distribution": "gaussian", "deviation": 1e9}}`: "option keys.deviation must be above 0 and at most keys.count (10000), not 1e+09",

		`{"iterations": 1, "values": "big"}`:                         "option values must be " + sizes + `, not "big"`,
		`{"iterations": 1, "values": 1.5}`:                           "option values must be " + sizes + ", not 1.5",
		`{"iterations": 1, "values": {"min": 1}}`:                    `option values must have both min and max; it is {"min": 1}`,
		`{"iterations": 1, "values": {"least": 1}}`:                  `unknown option "values.least"; known are min, max; values are ` + sizes,
		`{"iterations": 1, "values": [1]}`:                           "option values[0] must be an object, not a number",
		`{"iterations": 1, "values": [null]}`:                        "option values[0] must have both size and weight; it is null",
		`{"iterations": 1, "values": [{"size": 1}]}`:                 `option values[0] must have both size and weight; it is {"size": 1}`,
		`{"iterations": 1, "values": [{"size": "1", "weight": 1}]}`:  "option values[0].size must be an integer, not a string",
		`{"iterations": 1, "values": [{"size": 1, "share": 1}]}`:     `unknown option "values[0].share"; known are size, weight`,
		`{"iterations": 1, "values": []}`:                            "option values must hold from 1 to 1000 sizes, not 0",
		`{"iterations": 1, "values": [{"size": 1, "weight": 0}]}`:    "option values: the weight of size 1 must be above 0, not 0",
		`{"iterations": 1, "values": -1}`:                            "option values must be sizes from 0 to 1073741824 bytes, not from -1 to -1",
		`{"iterations": 1, "values": {"min": 1, "max": 2000000000}}`: "option values must be sizes from 0 to 1073741824 bytes, not from 1 to 2000000000",
		`{"iterations": 1, "values": {"min": 2, "max": 1}}`:          "option values.min (2) must not be above values.max (1)",
		`{"iterations": 1, "batch": 0}`:                              "option batch must be from 1 to 10000 keys, not 0",
		`{"iterations": 1, "pipeline": 0}`:                           "option pipeline must be from 1 to 10000 commands, not 0",
		`{"iterations": 1, "pipeline": 2, "mix": {"getOrSet": 1}}`:   "option pipeline (2) cannot hold the operation getOrSet of option mix: its set waits for its get",
		`{"iterations": 1, "pipeline": 2, "mix": {"getMulti": 1}}`:   "option pipeline (2) cannot hold the operation getMulti of option mix; use get",
		`{"iterations": 1, "pipeline": 10000, "values": 1000000}`:    "option pipeline (10000) times the largest of values (1000000 bytes) must be at most 268435456 bytes",
		`{"iterations": 1, "ttl": -1}`:                               `option ttl must be a time such as "60s", or 0 for ever, not -1`,
		`{"iterations": 1, "ttl": "soon"}`:                           `option ttl must be a time such as "60s", or 0 for ever, not "soon"`,
		`{"iterations": 1, "ttl": "-1s"}`:                            `option ttl must be a time such as "60s", or 0 for ever, not "-1s"`,
		`{"iterations": 1, "ttl": 60}`:                               "ttl 60 must say its unit, such as '60s'",
		`{"iterations": 1, "ttl": "60"}`:                             "ttl 60 must say its unit, such as '60s'",
		`{"iterations": 1, "ttl": "721h"}`:                           "option ttl must be 0 (for ever), or a time up to 30 days, not 2595600s",
		`{"duration": 30}`:                                           "duration 30 could be seconds or milliseconds: write '30s' or '30ms'",
	} {
		options, err := read(script)
		if err == nil {
			err = options.Validate()
		}
		require.EqualError(t, err, want, script)
	}
}

func TestNotANumber(t *testing.T) {
	nan := math.NaN()
	for _, spoil := range []func(*workload.Options){
		func(o *workload.Options) { o.Mix.Get = nan },
		func(o *workload.Options) { o.Keys.Distribution, o.Keys.Exponent = workload.Zipf, &nan },
		func(o *workload.Options) { o.Keys.Distribution, o.Keys.HotPercent = workload.HotCold, &nan },
		func(o *workload.Options) { o.Keys.Distribution, o.Keys.HotAccess = workload.HotCold, &nan },
		func(o *workload.Options) { o.Keys.Distribution, o.Keys.Mean = workload.Gaussian, &nan },
		func(o *workload.Options) { o.Keys.Distribution, o.Keys.Deviation = workload.Gaussian, &nan },
		func(o *workload.Options) { o.Values[0].Weight = nan },
	} {
		options := workload.Defaults()
		options.Iterations = 1
		require.NoError(t, options.Validate())
		spoil(&options)
		require.ErrorContains(t, options.Validate(), "not NaN")
	}
}

func FuzzOptions(f *testing.F) {
	for _, seed := range []string{
		`{"iterations": 10}`, `{"duration": "1ms", "values": {"min": 0, "max": 20}}`, `{"iterations": 5, "values": [{"size": 1, "weight": 1}]}`,
		`{"iterations": 3, "keys": {"distribution": "zipf", "exponent": 9.9, "count": 1}}`, `{"iterations": 3, "mix": {"getMulti": 1}, "batch": 3}`,
		`{"iterations": 9, "keys": {"distribution": "gaussian", "deviation": 0.001}}`, `{"iterations": 7, "pipeline": 3}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		options := workload.Defaults()
		if json.Unmarshal(script, &options) != nil || options.Validate() != nil {
			return
		}
		if options.Values[0].Max > 1000 || len(options.Values) > 1 {
			return // valid, but slow
		}
		options.Iterations, options.Duration = 10, types.NullDuration{}
		result := runs(t, options)
		require.EqualValues(t, 10, result.Succeeded)
		require.Zero(t, result.Failed)
	})
}
