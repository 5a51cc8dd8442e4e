package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	codepb "google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/grpc/codes"
)

const (
	faultStatus = "status" // the call ends with a status code
	faultSlow   = "slow"   // the answer is late
	faultClose  = "close"  // the connection closes during the call
	faultItems  = "items"  // the first items of a ReadBulk fail
)

// Calls that a fault can affect: an RPC, or a command of Invoke.
const (
	callOpen        = "OpenSession"
	callClose       = "CloseSession"
	callRegister    = "Register"
	callSubscribe   = "SubscribeBulk"
	callUnsubscribe = "UnsubscribeBulk"
	callRead        = "ReadBulk"
	callAny         = "any"
)

// fault is a failure on request.
type fault struct {
	spec  string
	kind  string
	call  string
	code  codes.Code
	delay time.Duration
	items int           // number of failing items
	after time.Duration // delay after it was set
	last  time.Duration // duration after the delay; 0: until removed
	skip  int           // calls without the fault at the start
	count int           // calls with the fault after those; 0: all

	begin time.Time
	seen  int
}

const faultSyntax = "kind=status|slow|close|items and, separated by commas: " +
	"call=ReadBulk (or OpenSession, CloseSession, Register, SubscribeBulk, UnsubscribeBulk, any), " +
	"code=UNAVAILABLE (status), delay=1s (slow), items=N (items: failing items per call; default all), " +
	"after=2s and for=5s (start and duration), skip=N and calls=N (calls without, then with the fault)"

// parseFault parses a fault, such as kind=status,code=UNAVAILABLE,for=5s. Its error names the
// invalid part.
func parseFault(text string) (fault, error) {
	f := fault{spec: text, call: callRead}
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	oneOf := func(name string, into *string, known ...string) {
		flags.Func(name, "", func(value string) error {
			if *into = value; !slices.Contains(known, value) {
				return fmt.Errorf("it must be one of %s", strings.Join(known, ", "))
			}
			return nil
		})
	}
	oneOf("kind", &f.kind, faultStatus, faultSlow, faultClose, faultItems)
	oneOf("call", &f.call, callOpen, callClose, callRegister, callSubscribe, callUnsubscribe, callRead, callAny)
	code := flags.String("code", "UNAVAILABLE", "")
	flags.DurationVar(&f.delay, "delay", time.Second, "")
	flags.DurationVar(&f.after, "after", 0, "")
	flags.DurationVar(&f.last, "for", 0, "")
	flags.IntVar(&f.items, "items", math.MaxInt, "")
	flags.IntVar(&f.skip, "skip", 0, "")
	flags.IntVar(&f.count, "calls", 0, "")
	err := flags.Parse(strings.Split("-"+strings.ReplaceAll(text, ",", ",-"), ","))
	if err == nil && (f.kind == "" || flags.NArg() > 0) {
		err = errors.New("it has no kind, or an empty setting")
	}
	number, known := codepb.Code_value[*code]
	if f.code = codes.Code(number); err == nil && (!known || f.code == codes.OK) {
		err = fmt.Errorf("code=%s: it must be a status code of gRPC other than OK, such as UNAVAILABLE", *code)
	}
	if err == nil && (min(f.delay, f.after, f.last) < 0 || min(f.items, f.skip, f.count) < 0) {
		err = errors.New("no duration or number may be negative")
	}
	kindOf := map[string]string{"code": faultStatus, "delay": faultSlow, "items": faultItems}
	flags.Visit(func(one *flag.Flag) {
		if kind := kindOf[one.Name]; err == nil && kind != "" && kind != f.kind {
			err = fmt.Errorf("%s is a setting of kind=%s, and this is of kind=%s", one.Name, kind, f.kind)
		}
	})
	if err != nil {
		return fault{}, fmt.Errorf("fault %q: %w: %s", text, err, faultSyntax)
	}
	return f, nil
}

type faults struct {
	mu  sync.Mutex
	set []*fault
}

func (f *faults) add(one fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one.begin = time.Now().Add(one.after)
	f.set = append(f.set, &one)
}

func (f *faults) clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.set = nil
}

func (f *faults) list() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forget(time.Now())
	list := make([]string, 0, len(f.set))
	for _, one := range f.set {
		list = append(list, one.spec)
	}
	return list
}

func (f *faults) take(call string) (taken []fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.set) == 0 {
		return nil
	}
	now := time.Now()
	f.forget(now)
	for _, one := range f.set {
		if now.Before(one.begin) || one.call != call && one.call != callAny {
			continue
		}
		if one.seen++; one.seen > one.skip {
			taken = append(taken, *one)
		}
	}
	return taken
}

func (f *faults) forget(now time.Time) {
	f.set = slices.DeleteFunc(f.set, func(one *fault) bool {
		return one.last > 0 && now.After(one.begin.Add(one.last)) || one.count > 0 && one.seen >= one.skip+one.count
	})
}
