package machbase

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/generate"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/stock"
)

const (
	generatorTicks    = "stock_tick"
	generatorSeconds  = "stock_rollup_1s"
	generatorMinutes  = "stock_rollup_1m"
	generatorUniform  = "uniform"
	generatorSine     = "sine"
	generatorSequence = "sequence"
)

var generators = []string{ //nolint:gochecknoglobals // a constant
	generatorSequence, generatorSine, generatorMinutes, generatorSeconds, generatorTicks, generatorUniform,
}

type batches func(send func(columns ...any) error) error

func (a *appender) generator(name string, options sobek.Value) (batches, error) {
	switch name {
	case generatorTicks, generatorSeconds, generatorMinutes:
		return a.stockGenerator(name, options)
	case generatorUniform:
		o := uniformOptions{rangeOptions: defaultRange(), Max: 1}
		if err := k6glue.Options(options, &o); err != nil {
			return nil, err
		}

		return series(generate.Uniform(o.options(), o.Seed, o.Min, o.Max))
	case generatorSine:
		o := sineOptions{rangeOptions: defaultRange(), Period: types.NullDurationFrom(time.Minute), Amplitude: 1}
		if err := k6glue.Options(options, &o); err != nil {
			return nil, err
		}

		return series(generate.Sine(o.options(), o.Period.TimeDuration(), o.Amplitude, o.Offset))
	case generatorSequence:
		o := sequenceOptions{rangeOptions: defaultRange()}
		if err := k6glue.Options(options, &o); err != nil {
			return nil, err
		}

		return series(generate.Sequence(o.options(), o.Offset))
	default:
		return nil, fmt.Errorf("unknown generator %q; known are %s", name, strings.Join(slices.Sorted(slices.Values(generators)), ", "))
	}
}

func series(source *generate.Source, err error) (batches, error) {
	if err != nil {
		return nil, err
	}

	return source.Batches, nil
}

type rangeOptions struct {
	Tags     int                `json:"tags"`
	Prefix   string             `json:"prefix"`
	From     time.Time          `json:"from"`
	To       time.Time          `json:"to"`
	Rows     int64              `json:"rows"`
	Interval types.NullDuration `json:"interval"`
}

func defaultRange() rangeOptions {
	return rangeOptions{Tags: 1, Prefix: "tag-", Interval: types.NullDurationFrom(time.Second)}
}

func (o *rangeOptions) options() generate.Options {
	return generate.Options{
		Tags: o.Tags, Prefix: o.Prefix, From: o.From, To: o.To, Rows: o.Rows, Interval: o.Interval.TimeDuration(),
	}
}

type uniformOptions struct {
	rangeOptions

	Seed uint64  `json:"seed"`
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
}

type sineOptions struct {
	rangeOptions

	Period    types.NullDuration `json:"period"`
	Amplitude float64            `json:"amplitude"`
	Offset    float64            `json:"offset"`
}

type sequenceOptions struct {
	rangeOptions

	Offset float64 `json:"offset"`
}

type stockOptions struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	Seed uint64    `json:"seed"`
	TPS  float64   `json:"tps"`
}

type stockSource struct {
	*stock.Generator

	seed uint64
	tps  float64
}

func (a *appender) stockGenerator(name string, options sobek.Value) (batches, error) {
	o := stockOptions{TPS: stock.DefaultTPS}
	if err := k6glue.Options(options, &o); err != nil {
		return nil, err
	}
	if a.stock == nil || a.stock.seed != o.Seed || a.stock.tps != o.TPS {
		g, err := stock.New(stock.Options{Seed: o.Seed, TPS: o.TPS, Codes: stock.Codes()})
		if err != nil {
			return nil, err
		}
		a.stock = &stockSource{g, o.Seed, o.TPS}
	}

	source := a.stock
	switch name {
	case generatorTicks:
		return func(send func(columns ...any) error) error { return source.TickBatches(o.From, o.To, send) }, nil
	case generatorSeconds:
		return func(send func(columns ...any) error) error {
			return source.RollupBatches(time.Second, o.From, o.To, send)
		}, nil
	default:
		return func(send func(columns ...any) error) error {
			return source.RollupBatches(time.Minute, o.From, o.To, send)
		}, nil
	}
}
