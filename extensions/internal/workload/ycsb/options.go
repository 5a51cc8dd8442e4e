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

	FieldCount     int  `json:"fieldCount"`
	FieldLength    int  `json:"fieldLength"`
	ReadAllFields  bool `json:"readAllFields"`
	WriteAllFields bool `json:"writeAllFields"`
	DataIntegrity  bool `json:"dataIntegrity"`

	RequestDistribution string `json:"requestDistribution"`
	MinScanLength       int64  `json:"minScanLength"`
	MaxScanLength       int64  `json:"maxScanLength"`

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
	Uniform = "uniform"
	Zipfian = "zipfian"
	Latest  = "latest"

	Hashed  = "hashed"
	Ordered = "ordered"
)

const (
	maxRecords = 1_000_000_000
	maxFields  = 1000
	maxRecord  = 64 << 20 // bytes
	maxScan    = 100_000
)

func defaults() Options {
	return Options{
		Mix:         Mix{Read: 0.95, Update: 0.05},
		RecordCount: 1000, InsertOrder: Hashed, FieldCount: 10, FieldLength: 100, ReadAllFields: true,
		RequestDistribution: Uniform, MinScanLength: 1, MaxScanLength: 1000,
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
	for _, err := range []error{o.checkMix(), o.checkNumbers(), o.checkWords()} {
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
		{"fieldCount", int64(o.FieldCount), 1, maxFields},
		{"fieldLength", int64(o.FieldLength), 1, maxRecord / int64(max(o.FieldCount, 1))},
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
		{"requestDistribution", o.RequestDistribution, []string{Uniform, Zipfian, Latest}},
		{"insertOrder", o.InsertOrder, []string{Hashed, Ordered}},
	} {
		if !slices.Contains(word.known, word.value) {
			return fmt.Errorf("option %s must be one of %s, not %q", word.name, strings.Join(word.known, ", "), word.value)
		}
	}
	switch {
	case o.DataIntegrity && o.FieldLength < TagSize:
		return fmt.Errorf("option dataIntegrity needs a fieldLength of at least %d, not %d", TagSize, o.FieldLength)
	case o.RequestDistribution == Latest && o.RecordCount < 10:
		return fmt.Errorf("option recordCount must be at least 10 with requestDistribution latest, not %d", o.RecordCount)
	default:
		return nil
	}
}
