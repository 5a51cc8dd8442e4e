package executor

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/files"
)

// Validate returns all errors in the options.
func (c *Config) Validate() []error {
	v := &validation{errs: c.BaseConfig.Validate()}
	v.check(len(c.Name) <= files.LongestName,
		"the scenario's name, after which files are named, must have at most %d bytes, but has %d", files.LongestName, len(c.Name))
	v.steps(c)
	v.share(c)
	v.repeats(c)

	v.check(slices.Contains([]string{OnErrorCount, OnErrorContinue, OnErrorAbort}, c.OnError.String),
		"onError must be 'count', 'continue' or 'abort', but is '%s'", c.OnError.String)
	v.check(!c.Op.Valid || c.Op.String != "", "op can't be empty")
	v.check(c.Variants == nil || len(c.Variants) > 0, "variants must list at least one name")
	v.check(!slices.Contains(c.Variants, ""), "variants can't hold an empty name")
	v.check(!twice(c.Variants), "variants must name each variant once; repeats runs a step more often")
	v.check(len(c.Variants) == 0 || c.Find == nil, "variants can't be compared in a search: leave find or variants out")
	v.check(len(c.Variants) == 0 || !c.Op.Valid, "op can't be set with variants: operations that nobody named have their variant's name")
	for _, op := range c.OpNames {
		v.check(op != "", "opNames can't hold an empty name")
	}

	return v.errs
}

type validation struct{ errs []error }

func (v *validation) check(ok bool, format string, args ...any) {
	if !ok {
		v.errs = append(v.errs, fmt.Errorf(format, args...))
	}
}

func (v *validation) steps(c *Config) {
	if count(c.Clients != nil, c.Rate != nil, c.Find != nil) != 1 {
		v.errs = append(v.errs, errors.New(
			"one of clients (such as [1, 8, 64]), rate (operations a second, such as [100, 1000]) and find must be set"))

		return
	}

	v.check(c.Clients == nil || len(c.Clients) > 0, "clients must list at least one number of clients, such as [1, 8, 64]")
	for _, n := range c.Clients {
		v.check(n >= 1 && n <= maxClients, "clients must be integers from 1 to %d, but one is %d", maxClients, n)
	}
	v.check(c.Rate == nil || len(c.Rate) > 0, "rate must list at least one number of operations a second, such as [100, 1000]")
	for _, rate := range c.Rate {
		v.check(rate > 0 && rate <= maxRate, "rate must be more than 0 and at most %d operations a second, but one is %v",
			maxRate, rate)
	}
	v.check(!twice(c.Clients) && !twice(c.Rate), "clients and rate must name each number once; repeats runs a step more often")
	if c.Find != nil {
		most := float64(maxClients)
		if c.OpenLoop() {
			most = maxRate
		}
		v.errs = append(v.errs, c.Find.Validate(most)...)
	}
	vus := c.PreAllocatedVUs
	if c.OpenLoop() {
		v.check(vus.Valid && vus.Int64 >= 1 && vus.Int64 <= maxClients,
			"with rate, preAllocatedVUs must be how many clients share the operations, from 1 to %d", maxClients)
	} else {
		v.check(!vus.Valid, "preAllocatedVUs goes with rate only; the clients of a step are in clients")
	}
}

func count(facts ...bool) int {
	n := 0
	for _, is := range facts {
		if is {
			n++
		}
	}

	return n
}

func twice[T comparable](values []T) bool {
	seen := map[T]bool{}
	for _, value := range values {
		if seen[value] {
			return true
		}
		seen[value] = true
	}

	return false
}

func (v *validation) share(c *Config) {
	if c.OpenLoop() {
		v.check(c.Duration.Valid && !c.Iterations.Valid && !c.UntilDone.Bool && !c.Precision.Some(),
			"with rate, duration must be set, and none of iterations, untilDone and precision")
	} else {
		v.check(count(c.Iterations.Valid, c.Duration.Valid, c.UntilDone.Bool, c.Precision.Some()) == 1,
			"one of iterations (operations of each client), duration, untilDone (until sweep.done) and precision (such as '1%%') "+
				"must be set, and no two of them")
	}
	v.check(!c.Iterations.Valid || c.Iterations.Int64 > 0, "iterations must be more than 0, but is %d", c.Iterations.Int64)
	v.check(!c.Duration.Valid || c.Duration.Duration > 0, "duration must be more than 0, but is %s", c.Duration.Duration)
	v.check(c.Duration.Duration <= 0 || c.Duration.TimeDuration() >= shortestDuration,
		"duration must be at least %s, but is %s: nothing is measured in so short a time", shortestDuration, c.Duration.Duration)
	v.check(c.Warmup.Duration >= 0, "warmup can't be negative, but is %s", c.Warmup.Duration)
	v.check(c.MaxDuration.TimeDuration() >= time.Second, "maxDuration must be at least 1s, but is %s", c.MaxDuration.Duration)
	v.check(c.Warmup.Duration+c.Duration.Duration < c.MaxDuration.Duration,
		"maxDuration (%s) must leave room for warmup and duration (%s)",
		c.MaxDuration.Duration, c.Warmup.Duration+c.Duration.Duration)
}

func (v *validation) repeats(c *Config) {
	v.check(c.Repeats.Int64 >= 1 && c.Repeats.Int64 <= maxRepeats, "repeats must be from 1 to %d, but is %d",
		maxRepeats, c.Repeats.Int64)
	longest := time.Duration((math.MaxInt64 - max(int64(c.Quiet.Duration), 0)) / int64(max(c.MostSteps(), 1)))
	v.check(c.MaxDuration.TimeDuration()+c.GetGracefulStop()+c.Pause.TimeDuration()+c.WaitCalm.TimeDuration() <= longest,
		"the sweep could take longer than can be counted: lower maxDuration, pause or repeats")
	v.check(c.Quiet.Duration >= 0, "quiet can't be negative, but is %s", c.Quiet.Duration)
	v.check(c.WaitCalm.Duration >= 0, "waitCalm can't be negative, but is %s", c.WaitCalm.Duration)
	v.check(c.Pause.Duration >= 0, "pause can't be negative, but is %s", c.Pause.Duration)
}
