package machbase

import (
	"fmt"
	"strings"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/generate"
)

const (
	generatorTicks    = "stock_tick"
	generatorSeconds  = "stock_rollup_1s"
	generatorMinutes  = "stock_rollup_1m"
	generatorSine     = "sine"
	generatorSequence = "sequence"
)

type batches func(send generate.Send) error

func (a *appender) generator(name string, options sobek.Value) (batches, error) {
	series := rangeOptions{Options: generate.Options{Tags: 1, Prefix: "tag-"}, Interval: types.NullDurationFrom(time.Second)}
	switch name {
	case generatorTicks, generatorSeconds, generatorMinutes:
		return a.stockGenerator(name, options)
	case generatorSine:
		o := sineOptions{rangeOptions: series, Period: types.NullDurationFrom(time.Minute), Amplitude: 1}
		if err := k6x.ReadOptions(options, &o); err != nil {
			return nil, err
		}

		return batchesOf(generate.Sine(o.options(), o.Period.TimeDuration(), o.Amplitude, o.Offset))
	case generatorSequence:
		o := sequenceOptions{rangeOptions: series}
		if err := k6x.ReadOptions(options, &o); err != nil {
			return nil, err
		}

		return batchesOf(generate.Sequence(o.options(), o.Offset))
	default:
		return nil, fmt.Errorf("unknown generator %q; known are %s", name, strings.Join([]string{
			generatorSequence, generatorSine, generatorMinutes, generatorSeconds, generatorTicks,
		}, ", "))
	}
}

func batchesOf(source *generate.Source, err error) (batches, error) {
	if err != nil {
		return nil, err
	}

	return source.Batches, nil
}

type rangeOptions struct {
	generate.Options

	Interval types.NullDuration `json:"interval"`
}

func (o *rangeOptions) options() generate.Options {
	o.Options.Interval = o.Interval.TimeDuration()

	return o.Options
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

func (a *appender) stockGenerator(name string, options sobek.Value) (batches, error) {
	o := stockOptions{TPS: generate.DefaultTPS}
	if err := k6x.ReadOptions(options, &o); err != nil {
		return nil, err
	}
	if a.stock == nil || a.stock.Seed != o.Seed || a.stock.TPS != o.TPS {
		made, err := generate.NewStock(o.Seed, o.TPS)
		if err != nil {
			return nil, err
		}
		a.stock = made
	}

	stock, period := a.stock, time.Minute
	if name == generatorSeconds {
		period = time.Second
	}

	return func(send generate.Send) error {
		if name == generatorTicks {
			return stock.TickBatches(o.From, o.To, send)
		}

		return stock.RollupBatches(period, o.From, o.To, send)
	}, nil
}
