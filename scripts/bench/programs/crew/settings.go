package crew

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"
)

// Settings are the flags that all programs have.
type Settings struct {
	Clients int
	// Ops is the operations of each client.
	Ops    int
	Warmup time.Duration
	// JSON tells that the result is to be printed as one JSON object.
	JSON bool
}

// Program does the work that its settings ask for.
type Program interface {
	Run() (*Result, error)
	common() *Settings
}

func (s *Settings) common() *Settings { return s } //nolint:unused // by Main, through Program

// Read reads the command line of a program, the flags that it defines for itself among them.
func (s *Settings) Read(program string, args []string, define func(*flag.FlagSet)) error {
	flags := flag.NewFlagSet(program, flag.ContinueOnError)
	flags.SetOutput(os.Stderr)
	define(flags)
	flags.IntVar(&s.Clients, "clients", 1, "number of clients")
	flags.IntVar(&s.Ops, "ops", 1000, "operations per client")
	flags.DurationVar(&s.Warmup, "warmup", 0, "time to run before measuring")
	flags.BoolVar(&s.JSON, "json", false, "print one JSON object")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			os.Exit(0)
		}

		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case s.Clients < 1:
		return fmt.Errorf("-clients is %d, want at least 1", s.Clients)
	case s.Ops < 1:
		return fmt.Errorf("-ops is %d, want at least 1", s.Ops)
	case s.Warmup < 0:
		return fmt.Errorf("-warmup is %v, want 0 or more", s.Warmup)
	}

	return nil
}

// Main is the whole of a program: it reads the command line and the environment, does the work and
// prints the result. The exit code is 0 when all operations succeeded, 1 when one failed or the
// server could not be used, 2 for a wrong flag.
func Main(name string, parse func(args []string, getenv func(string) string) (Program, error)) {
	program, err := parse(os.Args[1:], os.Getenv)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(2)
	}
	result, err := program.Run()
	if err == nil {
		err = errors.Join(result.Print(os.Stdout, program.common().JSON), result.Err())
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}
