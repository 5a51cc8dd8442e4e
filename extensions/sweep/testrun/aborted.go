package testrun

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

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
