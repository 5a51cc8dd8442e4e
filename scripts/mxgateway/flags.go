package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"time"

	"github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/emulator"
)

type settings struct {
	listen, control  string
	keys             string
	certificate, key string
	log              string
	shape            string
	seed             uint64
	machines         int
	change           time.Duration
	idle             time.Duration
	timing           emulator.Shape
	faults           []emulator.Fault
}

func readFlags(args []string, out io.Writer) (*settings, error) {
	s := &settings{timing: emulator.Published()}
	flags := flag.NewFlagSet("mxgateway", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&s.listen, "listen", "127.0.0.1:0", "`address` of the gRPC service, host:port; port 0: a free port")
	flags.StringVar(&s.control, "control", "127.0.0.1:0", "`address` of the HTTP control port, only on this machine; empty: none")
	flags.StringVar(&s.keys, "keys", "",
		"`file` of the keys: lines of mxgw_<keyId>_<secret>, a space, and scopes separated by commas (required)")
	flags.StringVar(&s.certificate, "tls-cert", "", "`file` of the certificate (PEM); enables TLS with -tls-key")
	flags.StringVar(&s.key, "tls-key", "", "`file` of its key (PEM)")
	flags.StringVar(&s.log, "log", "",
		"`file` for a line per ReadBulk call: start (µs since 1970), duration on the server (µs), "+
			"session, code, cached and all results")
	flags.StringVar(&s.shape, "shape", "published",
		"`name` of the timing: published, with the flags below, or none, without delay")
	flags.Uint64Var(&s.seed, "seed", 1, "`number` that seeds all random numbers")
	flags.IntVar(&s.machines, "machines", 999, "`number` of machines with tags: TestMachine_001.TestChangingInt and so on")
	flags.DurationVar(&s.change, "change", 3*time.Second, "`time` between two changes of a tag; 0: tags never change")
	flags.DurationVar(&s.idle, "idle", 10*time.Minute,
		"a session idle for this `time` is closed when another one opens; 0: never")
	flags.Func("fault", "initial `fault`; repeatable: "+emulator.FaultSyntax, func(text string) error {
		fault, err := emulator.ParseFault(text)
		s.faults = append(s.faults, fault)
		return err
	})
	s.timingFlags(flags)
	if err := parse(flags, args); err != nil {
		return nil, err
	}
	return s, s.check()
}

func (s *settings) timingFlags(flags *flag.FlagSet) {
	t := &s.timing
	flags.DurationVar(&t.Worker, "worker", t.Worker, "median `time` of a session's worker for a command")
	flags.Float64Var(&t.WorkerSpread, "worker-spread", t.WorkerSpread, "standard deviation of the `logarithm` of that time")
	flags.IntVar(&t.StallEvery, "stall-every", t.StallEvery, "average number of `commands` between stalls of a worker; 0: no stalls")
	flags.DurationVar(&t.StallMin, "stall-min", t.StallMin, "least `time` of a stall")
	flags.DurationVar(&t.StallMax, "stall-max", t.StallMax, "greatest `time` of a stall")
	flags.DurationVar(&t.Shared, "shared", t.Shared, "`time` for which each call holds the shared resource")
	flags.Float64Var(&t.PauseChance, "pause-chance", t.PauseChance,
		"`share`, 0 to 1, of calls that waited for it and start a pause")
	flags.DurationVar(&t.PauseMedian, "pause-median", t.PauseMedian, "median `time` of a pause")
	flags.Float64Var(&t.PauseSpread, "pause-spread", t.PauseSpread, "standard deviation of the `logarithm` of that time")
	flags.DurationVar(&t.PauseMax, "pause-max", t.PauseMax, "longest `time` of a pause")
	flags.DurationVar(&t.FirstValue, "first-value", t.FirstValue,
		"`time` from a tag's subscription to its first value")
	flags.DurationVar(&t.Uncached, "uncached", t.Uncached, "additional `time` of a read if a tag has no cached value")
}

func parse(flags *flag.FlagSet, args []string) error {
	out := flags.Output()
	flags.SetOutput(io.Discard)
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		flags.SetOutput(out)
		flags.Usage()
	}
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("there is no argument %q: everything is a flag; -help lists them", flags.Arg(0))
	}
	return err
}

func (s *settings) check() error {
	t := s.timing
	switch {
	case s.keys == "":
		return errors.New("-keys is missing: a file of the keys that are accepted")
	case s.shape != "published" && s.shape != "none":
		return fmt.Errorf("-shape is %q: it must be published or none", s.shape)
	case (s.certificate == "") != (s.key == ""):
		return errors.New("-tls-cert and -tls-key go together")
	case s.machines < 1 || s.machines > 100_000:
		return fmt.Errorf("-machines is %d: it must be from 1 to 100000", s.machines)
	case math.IsNaN(t.PauseChance) || t.PauseChance < 0 || t.PauseChance > 1:
		return fmt.Errorf("-pause-chance is %v: it must be from 0 to 1", t.PauseChance)
	case !isFinite(t.WorkerSpread):
		return fmt.Errorf("-worker-spread is %v: it must be a finite number", t.WorkerSpread)
	case !isFinite(t.PauseSpread):
		return fmt.Errorf("-pause-spread is %v: it must be a finite number", t.PauseSpread)
	case t.StallMax < t.StallMin:
		return fmt.Errorf("-stall-max is %v, less than -stall-min, %v", t.StallMax, t.StallMin)
	case min(t.Worker, t.StallMin, t.Shared, t.PauseMedian, t.PauseMax, t.FirstValue, t.Uncached, s.change, s.idle) < 0,
		min(t.WorkerSpread, t.PauseSpread, float64(t.StallEvery)) < 0:
		return errors.New("no time, spread or number may be negative")
	}
	return s.checkControl()
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// The control port has no authentication.
func (s *settings) checkControl() error {
	if s.control == "" {
		return nil
	}
	host, _, err := net.SplitHostPort(s.control)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && !ip.IsLoopback() {
		return fmt.Errorf("-control is %q: it must be a port of this machine only, such as 127.0.0.1:8080", s.control)
	}
	return nil
}

func (s *settings) load() (emulator.Config, error) {
	config := emulator.Config{
		Name: s.shape, Shape: s.timing, Machines: s.machines, Change: s.change, Idle: s.idle, Seed: s.seed, Faults: s.faults,
	}
	if s.shape == "none" {
		config.Shape = emulator.Shape{}
	}
	file, err := os.Open(s.keys) //nolint:gosec // the user's file
	if err != nil {
		return config, fmt.Errorf("-keys: %w", err)
	}
	defer func() { _ = file.Close() }()
	if config.Keys, err = emulator.ReadKeys(file); err != nil {
		return config, fmt.Errorf("-keys: %s: %w", s.keys, err)
	}
	config.TLS, err = serverTLS(s.certificate, s.key)
	return config, err
}
