package testrun

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/grafana/sobek"
	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Aborted ends a sweep and the test, as k6's test.abort does. k6 logs Error at the end of the
// executor and StackTrace at the end of the test, so only one of them has the reason.
type Aborted struct {
	*errext.InterruptError

	ends, reason string
	exit         exitcodes.ExitCode
}

// NewAborted returns the abort for an error that a script or a module threw to end the test.
func NewAborted(err error) Aborted {
	interrupt, is := errors.AsType[*errext.InterruptError](err)
	if !is {
		interrupt = &errext.InterruptError{Reason: err.Error()}
	}

	exit := interrupt.ExitCode()
	if own, has := errors.AsType[errext.HasExitCode](err); has {
		exit = own.ExitCode()
	}

	return Aborted{interrupt, "the sweep ends early, the test is aborted", err.Error(), exit}
}

// ExitCode returns the exit code of the thrown error.
func (e Aborted) ExitCode() exitcodes.ExitCode { return e.exit }

// Error says that the sweep ends, without the reason.
func (e Aborted) Error() string { return e.ends }

// StackTrace returns the reason, which k6 shows instead of Error.
func (e Aborted) StackTrace() string { return e.reason }

// Unwrap lets k6 detect the abort.
func (e Aborted) Unwrap() error { return e.InterruptError }

// NewAllFailed returns the abort of a sweep in which all clients of a step fail with one cause.
// Those before the measured phase are not in the step's figures.
func NewAllFailed(step *measure.Step, err error, failures uint64) Aborted {
	who := "all " + report.Plural(step.Clients(), "client")
	verb, when := "fail", "by now"
	if !step.Started() {
		when = "before the measured phase"
	}
	if step.Clients() == 1 {
		who, verb = "the only client", "fails"
	}
	where := ""
	if at := placeOf(err); at != "" {
		where = fmt.Sprintf(" (at %s)", at)
	}

	reason := fmt.Sprintf(
		"no operation has succeeded, and %s %s with one cause, %s times %s: %s%s. Check %s. onError: 'continue' goes on nevertheless",
		who, verb, report.Thousands(int64(failures)), when, strings.TrimRight(err.Error(), "."), where, toCheck(err))

	return Aborted{&errext.InterruptError{Reason: reason}, "the sweep ends early, nothing in it can succeed", reason, exitcodes.ScriptAborted}
}

var advice = []struct { //nolint:gochecknoglobals // a constant
	text  *regexp.Regexp
	check string
}{
	{regexp.MustCompile(`^(Reference|Type|Syntax|Range)Error\b`), "the script"},
	{regexp.MustCompile(`(?i)password|passwd|authenti|authori[sz]|credential|permission|denied|login|forbidden`), "user and password"},
	{
		regexp.MustCompile(`(?i)refused|no such host|unreachable|time(d )?out|deadline|no answer|did not answer|reset|EOF|` +
			`unavailable|connect`), "the server and its address",
	},
}

func toCheck(err error) string {
	check := "the script, the server's address, user and password"
	for _, a := range advice {
		if a.text.MatchString(err.Error()) {
			check = a.check

			break
		}
	}
	if settings := k6x.AddressSettings(err.Error()); settings != "" && check != "the script" {
		return fmt.Sprintf("%s (%s)", check, settings)
	}

	return check
}

var unreachable = regexp.MustCompile(`(?i)connection refused|no such host|unreachable|cannot connect|failed to connect|i/o timeout`)

// Unreachable reports whether err means that the server could not be reached.
func Unreachable(err error) bool { return err != nil && unreachable.MatchString(err.Error()) }

// InSetup returns one line without a stack for k6's text of an error of setup, with what to check.
func InSetup(text string) string {
	line, _, _ := strings.Cut(strings.TrimPrefix(text, "Uncaught (in promise) "), "\n")

	check := toCheck(errors.New(line))
	if line = strings.TrimRight(line, "."); !strings.HasSuffix(line, "?") {
		line += "."
	}

	return line + " Check " + check
}

// scriptError is a script's exception. Its text has no stack, so that equal errors can be counted.
type scriptError struct {
	text string
	// at is the position, "file:line:column", or "".
	at string
}

func (e *scriptError) Error() string { return e.text }

// rejected matches k6's text for an uncaught rejection: the error, and optionally its position.
var rejected = regexp.MustCompile(`(?s)^Uncaught \(in promise\) (.*?)(?:\n\tat .*?\(?(\S+:\d+:\d+)\(\d+\).*)?$`)

// Thrown makes a scriptError from the error of a call of JavaScript.
func Thrown(err error) error {
	var exception *sobek.Exception
	if !errors.As(err, &exception) {
		if match := rejected.FindStringSubmatch(err.Error()); match != nil {
			return &scriptError{text: measure.ShortText(match[1]), at: match[2]}
		}

		return err
	}
	e := &scriptError{text: textOf(exception.Value())}
	for _, frame := range exception.Stack() {
		if position := frame.Position(); position.Line > 0 {
			e.at = position.String()

			break
		}
	}

	return e
}

// RejectedWith makes a scriptError from the reason of a rejected promise.
func RejectedWith(reason sobek.Value) error { return &scriptError{text: textOf(reason)} }

func textOf(value sobek.Value) (text string) {
	defer func() {
		if recover() != nil {
			text = "an object without a text"
		}
	}()

	object, ok := value.(*sobek.Object)
	switch {
	case ok && object.ClassName() == "Array": // may be long
		text = k6x.Show(value)
	case ok:
		if text = object.String(); text == "[object Object]" {
			text = plainText(object)
		}
	default:
		text = value.String()
	}

	return measure.ShortText(text)
}

// plainText returns the message of a plain object, else its first properties.
func plainText(object *sobek.Object) string {
	const most = 10
	if message, ok := object.Get("message").(sobek.String); ok {
		return message.String()
	}
	var shown []string
	for i, key := range object.Keys() {
		if i == most {
			shown = append(shown, "...")

			break
		}
		shown = append(shown, key+": "+k6x.Show(object.Get(key)))
	}
	if shown == nil {
		return "{}"
	}

	return "{ " + strings.Join(shown, ", ") + " }"
}

// placeOf returns the position of an error, "file:line:column", or "".
func placeOf(err error) string {
	var script *scriptError
	if errors.As(err, &script) {
		return script.at
	}

	return ""
}

// CutOff is the error of an operation that was still running when its VU had to end.
type CutOff struct{ Why error }

// Error returns the reason.
func (e CutOff) Error() string { return e.Why.Error() }

// Unwrap returns the reason.
func (e CutOff) Unwrap() error { return e.Why }

// Patience is the delay of log lines until an operation succeeds.
const Patience = 1500 * time.Millisecond

// ErrorLog logs errors of operations, once for each cause in a step. Until the first success of the
// sweep it delays them, because the line that ends the sweep may repeat them.
type ErrorLog struct {
	mu sync.Mutex
	// immediate is set if errors are not delayed.
	immediate bool
	waiting   []delayedError
}

type delayedError struct {
	logger logrus.FieldLogger
	err    error
	since  time.Time
}

// Error logs an error, possibly delayed.
func (l *ErrorLog) Error(logger logrus.FieldLogger, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.immediate {
		logFault(logger, err)

		return
	}
	l.waiting = append(l.waiting, delayedError{logger: logger, err: err, since: time.Now()})
}

// Flush logs errors that have waited at least this long.
func (l *ErrorLog) Flush(waited time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.waiting) > 0 && time.Since(l.waiting[0].since) >= waited {
		logFault(l.waiting[0].logger, l.waiting[0].err)
		l.waiting = l.waiting[1:]
	}
}

// Immediate logs all errors, and does not delay later ones.
func (l *ErrorLog) Immediate() {
	l.Flush(0)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.immediate = true
}

// Forget logs the delayed errors except one that is logged elsewhere.
func (l *ErrorLog) Forget(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.waiting {
		if measure.Cause(f.err.Error()) != measure.Cause(err.Error()) {
			logFault(f.logger, f.err)
		}
	}
	l.waiting = nil
}

func logFault(logger logrus.FieldLogger, err error) {
	if at := placeOf(err); at != "" {
		logger = logger.WithField("at", at)
	}
	logger.Errorf("operation failed: %s", measure.ShortText(err.Error()))
}
