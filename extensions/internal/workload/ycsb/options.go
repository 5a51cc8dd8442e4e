package ycsb

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
)

// Options describe a workload, as YCSB's properties in camel case. When unmarshalled from JSON, an
// absent option gets YCSB's default, or the value that the option workload sets.
type Options struct {
	Workload string `json:"workload"` // a to f: sets mix, requestDistribution and maxScanLength
	Mix      Mix    `json:"mix"`

	RecordCount    int64  `json:"recordCount"`
	OperationCount int64  `json:"operationCount"` // expected operations for zipfian, including inserts
	InsertOrder    string `json:"insertOrder"`
	ZeroPadding    int    `json:"zeroPadding"`

	FieldCount              int    `json:"fieldCount"`
	FieldLength             int    `json:"fieldLength"`
	MinFieldLength          int    `json:"minFieldLength"`
	FieldLengthDistribution string `json:"fieldLengthDistribution"`
	ReadAllFields           bool   `json:"readAllFields"`
	WriteAllFields          bool   `json:"writeAllFields"`
	DataIntegrity           bool   `json:"dataIntegrity"`

	RequestDistribution   string  `json:"requestDistribution"`
	HotspotDataFraction   float64 `json:"hotspotDataFraction"`
	HotspotOpnFraction    float64 `json:"hotspotOpnFraction"`
	ExponentialPercentile float64 `json:"exponentialPercentile"`
	ExponentialFrac       float64 `json:"exponentialFrac"`

	MinScanLength          int64  `json:"minScanLength"`
	MaxScanLength          int64  `json:"maxScanLength"`
	ScanLengthDistribution string `json:"scanLengthDistribution"`

	Seed uint64 `json:"seed"`
	// AllowMisses counts a read without a record as successful, for caches that may evict.
	AllowMisses bool `json:"allowMisses"`
}

// Mix holds the relative shares of the operations.
type Mix struct {
	Read            float64 `json:"read"`
	Update          float64 `json:"update"`
	Insert          float64 `json:"insert"`
	Scan            float64 `json:"scan"`
	ReadModifyWrite float64 `json:"readModifyWrite"`
}

// Values of options.
const (
	Uniform     = "uniform"
	Zipfian     = "zipfian"
	Latest      = "latest"
	Hotspot     = "hotspot"
	Exponential = "exponential"
	Sequential  = "sequential"

	Constant = "constant"

	Hashed  = "hashed"
	Ordered = "ordered"
)

const (
	maxRecords = 1_000_000_000
	maxFields  = 1000
	maxRecord  = 64 << 20 // bytes
	maxScan    = 100_000
	maxPadding = 100
)

func defaults() Options {
	return Options{
		Mix:         Mix{Read: 0.95, Update: 0.05},
		RecordCount: 1000, InsertOrder: Hashed, ZeroPadding: 1,
		FieldCount: 10, FieldLength: 100, MinFieldLength: 1, FieldLengthDistribution: Constant, ReadAllFields: true,
		RequestDistribution: Uniform, HotspotDataFraction: 0.2, HotspotOpnFraction: 0.8,
		ExponentialPercentile: 95, ExponentialFrac: 0.8571428571,
		MinScanLength: 1, MaxScanLength: 1000, ScanLengthDistribution: Uniform,
		Seed: 1,
	}
}

var core = map[string]func(*Options){ //nolint:gochecknoglobals // a table
	"a": func(o *Options) { o.Mix, o.RequestDistribution = Mix{Read: 0.5, Update: 0.5}, Zipfian },
	"b": func(o *Options) { o.Mix, o.RequestDistribution = Mix{Read: 0.95, Update: 0.05}, Zipfian },
	"c": func(o *Options) { o.Mix, o.RequestDistribution = Mix{Read: 1}, Zipfian },
	"d": func(o *Options) { o.Mix, o.RequestDistribution = Mix{Read: 0.95, Insert: 0.05}, Latest },
	"e": func(o *Options) {
		o.Mix, o.RequestDistribution, o.MaxScanLength = Mix{Scan: 0.95, Insert: 0.05}, Zipfian, 100
	},
	"f": func(o *Options) { o.Mix, o.RequestDistribution = Mix{Read: 0.5, ReadModifyWrite: 0.5}, Zipfian },
}

// UnmarshalJSON reads and validates options.
func (o *Options) UnmarshalJSON(raw []byte) error {
	named := struct{ Workload string }{}
	_ = json.Unmarshal(raw, &named) // the strict decoder below reports errors
	*o = defaults()
	if named.Workload != "" {
		set := core[strings.ToLower(named.Workload)]
		if set == nil {
			return fmt.Errorf("option workload must be one of a, b, c, d, e, f, not %q", named.Workload)
		}
		set(o)
	}
	type plain Options
	if err := input.Decode("", raw, (*plain)(o)); err != nil {
		return err
	}
	if o.OperationCount == 0 {
		o.OperationCount = o.RecordCount // as in workloads/workloada to workloadf
	}

	return o.validate()
}

// UnmarshalJSON reads a mix. Omitted operations get the share 0.
func (m *Mix) UnmarshalJSON(raw []byte) error {
	type plain Mix
	read := plain{}
	if err := input.Decode("mix.", raw, &read); err != nil {
		return err
	}
	*m = Mix(read)

	return nil
}

// Shares returns the mix, indexed by operation.
func (m *Mix) Shares() [NumOps]float64 {
	return [NumOps]float64{Read: m.Read, Update: m.Update, Insert: m.Insert, Scan: m.Scan, ReadModifyWrite: m.ReadModifyWrite}
}

// Ops returns the operations with a share above 0.
func (m *Mix) Ops() (ops []Op) {
	for op, share := range m.Shares() {
		if share > 0 {
			ops = append(ops, Op(op))
		}
	}

	return ops
}

func (o *Options) validate() error {
	for _, err := range []error{o.checkMix(), o.checkNumbers(), o.checkWords(), o.checkFields(), o.checkDistribution()} {
		if err != nil {
			return err
		}
	}

	return nil
}

func (o *Options) checkMix() error {
	for op, share := range o.Mix.Shares() {
		if !(share >= 0 && share <= 1e9) { // also rejects NaN
			return fmt.Errorf("option mix: the share of %s must be from 0 to 1e9, not %v", Op(op), share)
		}
	}
	if len(o.Mix.Ops()) == 0 {
		return fmt.Errorf("option mix must give a share to one of %s", strings.Join(input.Names(reflect.TypeFor[Mix]()), ", "))
	}

	return nil
}

func (o *Options) checkNumbers() error {
	for _, number := range []struct {
		name               string
		value, least, most int64
	}{
		{"recordCount", o.RecordCount, 1, maxRecords},
		{"operationCount", o.OperationCount, 1, maxRecords},
		{"zeroPadding", int64(o.ZeroPadding), 1, maxPadding},
		{"fieldCount", int64(o.FieldCount), 1, maxFields},
		{"fieldLength", int64(o.FieldLength), 1, maxRecord / int64(max(o.FieldCount, 1))},
		{"minFieldLength", int64(o.MinFieldLength), 1, max(int64(o.FieldLength), 1)},
		{"minScanLength", o.MinScanLength, 1, maxScan},
		{"maxScanLength", o.MaxScanLength, o.MinScanLength, maxScan},
	} {
		if number.value < number.least || number.value > number.most {
			return fmt.Errorf("option %s must be from %d to %d, not %d", number.name, number.least, number.most, number.value)
		}
	}

	return nil
}

func (o *Options) checkWords() error {
	for _, word := range []struct {
		name, value string
		known       []string
	}{
		{"requestDistribution", o.RequestDistribution, []string{Uniform, Zipfian, Latest, Hotspot, Exponential, Sequential}},
		{"insertOrder", o.InsertOrder, []string{Hashed, Ordered}},
		{"fieldLengthDistribution", o.FieldLengthDistribution, []string{Constant, Uniform, Zipfian}},
		{"scanLengthDistribution", o.ScanLengthDistribution, []string{Uniform, Zipfian}},
	} {
		if !slices.Contains(word.known, word.value) {
			return fmt.Errorf("option %s must be one of %s, not %q", word.name, strings.Join(word.known, ", "), word.value)
		}
	}

	return nil
}

func (o *Options) checkFields() error {
	switch {
	case o.DataIntegrity && o.FieldLengthDistribution != Constant:
		return fmt.Errorf("option dataIntegrity needs fieldLengthDistribution %q, not %q", Constant, o.FieldLengthDistribution)
	case o.DataIntegrity && o.FieldLength < tagSize:
		return fmt.Errorf("option dataIntegrity needs a fieldLength of at least %d, not %d", tagSize, o.FieldLength)
	default:
		return nil
	}
}

func (o *Options) checkDistribution() error {
	switch o.RequestDistribution {
	case Latest:
		if o.RecordCount < 10 {
			return fmt.Errorf("option recordCount must be at least 10 with requestDistribution latest, not %d", o.RecordCount)
		}
	case Hotspot:
		hot := o.hotInterval()
		if !(o.HotspotDataFraction > 0 && o.HotspotDataFraction < 1) || hot == 0 || hot == o.RecordCount {
			return fmt.Errorf("option hotspotDataFraction must be above 0 and below 1, and make at least one of %d records hot and one cold, not %v",
				o.RecordCount, o.HotspotDataFraction)
		}
		if !(o.HotspotOpnFraction >= 0 && o.HotspotOpnFraction <= 1) {
			return fmt.Errorf("option hotspotOpnFraction must be from 0 to 1, not %v", o.HotspotOpnFraction)
		}
	case Exponential:
		if !(o.ExponentialPercentile > 0 && o.ExponentialPercentile < 100) {
			return fmt.Errorf("option exponentialPercentile must be above 0 and below 100, not %v", o.ExponentialPercentile)
		}
		if !(o.ExponentialFrac > 0 && o.ExponentialFrac <= 1) {
			return fmt.Errorf("option exponentialFrac must be above 0 and at most 1, not %v", o.ExponentialFrac)
		}
	}

	return nil
}

func (o *Options) hotInterval() int64 { return int64(float64(o.RecordCount) * o.HotspotDataFraction) }
