package emulator

import (
	"fmt"
	"slices"
	"strconv"
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

// Calls that a fault can affect: an RPC, a command of Invoke, or events, which is each check of an
// open stream for changes.
const (
	callOpen        = "OpenSession"
	callClose       = "CloseSession"
	callStream      = "StreamEvents"
	callEvent       = "Event"
	callRegister    = "Register"
	callSubscribe   = "SubscribeBulk"
	callUnsubscribe = "UnsubscribeBulk"
	callRead        = "ReadBulk"
	callAny         = "any"
)

// Fault is a failure on request.
type Fault struct {
	kind  string
	call  string
	code  codes.Code
	delay time.Duration
	items int           // number of failing items; 0: all
	after time.Duration // delay after it was set
	last  time.Duration // duration after the delay; 0: until removed
	skip  int           // calls without the fault at the start
	count int           // calls with the fault after those; 0: all

	spec string
}

// FaultSyntax describes the syntax of ParseFault.
const FaultSyntax = "kind=status|slow|close|items and, separated by commas: " +
	"call=ReadBulk (or OpenSession, CloseSession, Register, SubscribeBulk, UnsubscribeBulk, StreamEvents, Event, any), " +
	"code=UNAVAILABLE (status), delay=1s (slow), items=N (items: failing items per call; default all), " +
	"after=2s and for=5s (start and duration), skip=N and calls=N (calls without, then with the fault)"

// ParseFault parses a fault, such as kind=status,code=UNAVAILABLE,for=5s. Its error names the
// invalid part.
func ParseFault(text string) (Fault, error) {
	fault := Fault{call: callRead, code: codes.Unavailable, delay: time.Second, spec: text}
	var given []string
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		given = append(given, name)
		if err := fault.set(name, value); err != nil {
			return Fault{}, fmt.Errorf("fault %q: %s=%s: %w", text, name, value, err)
		}
	}
	if fault.kind == "" {
		return Fault{}, fmt.Errorf("fault %q: it has no kind: %s", text, FaultSyntax)
	}
	for _, name := range given {
		if kind := kindOfSetting(name); kind != "" && kind != fault.kind {
			return Fault{}, fmt.Errorf("fault %q: %s is a setting of kind=%s, and this is of kind=%s", text, name, kind, fault.kind)
		}
	}
	return fault, nil
}

func (f *Fault) set(name, value string) (err error) {
	switch name {
	case "kind":
		f.kind = value
		err = oneOf(value, faultStatus, faultSlow, faultClose, faultItems)
	case "call":
		f.call = value
		err = oneOf(value, callOpen, callClose, callRegister, callSubscribe, callUnsubscribe, callRead, callStream, callEvent, callAny)
	case "code":
		code, known := codepb.Code_value[value]
		if f.code = codes.Code(code); !known || f.code == codes.OK {
			err = fmt.Errorf("it must be a status code of gRPC other than OK, such as UNAVAILABLE")
		}
	case "delay":
		f.delay, err = duration(value)
	case "after":
		f.after, err = duration(value)
	case "for":
		f.last, err = duration(value)
	case "items":
		f.items, err = number(value)
	case "skip":
		f.skip, err = number(value)
	case "calls":
		f.count, err = number(value)
	default:
		err = fmt.Errorf("there is no such setting: %s", FaultSyntax)
	}
	return err
}

func kindOfSetting(name string) string {
	switch name {
	case "code":
		return faultStatus
	case "delay":
		return faultSlow
	case "items":
		return faultItems
	}
	return ""
}

func oneOf(value string, known ...string) error {
	if slices.Contains(known, value) {
		return nil
	}
	return fmt.Errorf("it must be one of %s", strings.Join(known, ", "))
}

func duration(value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("it must be a duration, such as 5s")
	}
	return d, nil
}

func number(value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("it must be an integer of at least 1")
	}
	return n, nil
}

type faults struct {
	clock *clock

	mu  sync.Mutex
	set []*setFault
}

type setFault struct {
	Fault
	begin time.Duration
	seen  int
}

func (f *faults) add(fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.set = append(f.set, &setFault{Fault: fault, begin: f.clock.now() + fault.after})
}

func (f *faults) clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.set = nil
}

func (f *faults) list() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forget(f.clock.now())
	list := make([]string, 0, len(f.set))
	for _, fault := range f.set {
		list = append(list, fault.spec)
	}
	return list
}

func (f *faults) take(call string) []Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.set) == 0 {
		return nil
	}
	now := f.clock.now()
	f.forget(now)
	var taken []Fault
	for _, fault := range f.set {
		if now < fault.begin || fault.call != call && fault.call != callAny {
			continue
		}
		if fault.seen++; fault.seen > fault.skip {
			taken = append(taken, fault.Fault)
		}
	}
	return taken
}

func (f *faults) forget(now time.Duration) {
	f.set = slices.DeleteFunc(f.set, func(fault *setFault) bool {
		return fault.last > 0 && now >= fault.begin+fault.last || fault.count > 0 && fault.seen >= fault.skip+fault.count
	})
}
