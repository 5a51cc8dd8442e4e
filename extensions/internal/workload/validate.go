package workload

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
)

const (
	maxDuration  = 1000 * time.Hour
	maxKeys      = 1_000_000_000_000 // 12 digits
	maxKeySize   = 250               // memcached's limit
	maxValueSize = 1 << 30
	maxSizes     = 1000
	maxAtOnce    = 10_000            // keys in a getMulti, commands in a pipeline
	maxInFlight  = 256 << 20         // bytes of values in a pipeline
	maxTTL       = 30 * 24 * 60 * 60 // memcached reads larger values as dates
	maxExponent  = 10
)

// Validate returns an error that names the first invalid option and what it accepts.
func (o *Options) Validate() error {
	if err := o.checkLength(); err != nil {
		return err
	}

	return o.ValidateKeys()
}

// ValidateKeys does what Validate does, but does not require iterations or duration.
func (o *Options) ValidateKeys() error {
	for _, check := range []func() error{o.checkMix, o.checkCommands, o.Keys.check, o.Values.check, o.checkAtOnce} {
		if err := check(); err != nil {
			return err
		}
	}
	if o.TTL < 0 || o.TTL > maxTTL {
		return fmt.Errorf("option ttl must be 0 (for ever), or a time up to 30 days, not %ds", o.TTL)
	}

	return nil
}

func (o *Options) checkLength() error {
	duration := o.Duration.TimeDuration()
	switch {
	case o.Iterations < 0:
		return fmt.Errorf("option iterations must be at least 1, not %d", o.Iterations)
	case duration < 0 || duration > maxDuration:
		return fmt.Errorf("option duration must be above 0 and at most %s, not %s", maxDuration, duration)
	case o.Iterations == 0 && duration == 0:
		return fmt.Errorf("option iterations (a number of operations) or duration (a time such as \"30s\") must be given")
	case o.Iterations > 0 && duration > 0:
		return fmt.Errorf("options iterations and duration cannot both be given: iterations is %d, duration %s", o.Iterations, duration)
	}

	return nil
}

func (o *Options) checkMix() error {
	total := 0.0
	for op, share := range o.Mix.shares() {
		if !(share >= 0 && share <= math.MaxInt32) { // also rejects NaN
			return fmt.Errorf("option mix.%s must be a share from 0, not %v", Op(op), share)
		}
		total += share
	}
	if total == 0 {
		return fmt.Errorf("option mix must give a share to at least one of %s", strings.Join(input.Names(reflect.TypeFor[Mix]()), ", "))
	}

	return nil
}

func (o *Options) checkAtOnce() error {
	switch {
	case o.Batch < 1 || o.Batch > maxAtOnce:
		return fmt.Errorf("option batch must be from 1 to %d keys, not %d", maxAtOnce, o.Batch)
	case o.Pipeline < 1 || o.Pipeline > maxAtOnce:
		return fmt.Errorf("option pipeline must be from 1 to %d commands, not %d", maxAtOnce, o.Pipeline)
	case o.Pipeline == 1:
		return nil
	case o.Mix.GetOrSet > 0:
		return fmt.Errorf("option pipeline (%d) cannot hold the operation getOrSet of option mix: its set waits for its get", o.Pipeline)
	case o.Mix.GetMulti > 0:
		return fmt.Errorf("option pipeline (%d) cannot hold the operation getMulti of option mix; use get", o.Pipeline)
	case (o.Mix.Set > 0 || len(o.Commands) > 0) && o.Pipeline*o.Values.largest() > maxInFlight:
		return fmt.Errorf("option pipeline (%d) times the largest of values (%d bytes) must be at most %d bytes",
			o.Pipeline, o.Values.largest(), maxInFlight)
	}

	return nil
}

func (m *Mix) shares() [NumOps]float64 {
	return [NumOps]float64{
		Get: m.Get, Set: m.Set, Delete: m.Delete, Touch: m.Touch, GetOrSet: m.GetOrSet, GetMulti: m.GetMulti,
	}
}

func (s Sizes) check() error {
	if len(s) == 0 || len(s) > maxSizes {
		return fmt.Errorf("option values must hold from 1 to %d sizes, not %d", maxSizes, len(s))
	}
	for _, r := range s {
		switch {
		case r.Min < 0 || r.Max > maxValueSize:
			return fmt.Errorf("option values must be sizes from 0 to %d bytes, not from %d to %d", maxValueSize, r.Min, r.Max)
		case r.Min > r.Max:
			return fmt.Errorf("option values.min (%d) must not be above values.max (%d)", r.Min, r.Max)
		case !(r.Weight > 0 && r.Weight <= math.MaxInt32):
			return fmt.Errorf("option values: the weight of size %d must be above 0, not %v", r.Min, r.Weight)
		}
	}

	return nil
}

func (s Sizes) largest() int {
	largest := 0
	for _, r := range s {
		largest = max(largest, r.Max)
	}

	return largest
}
