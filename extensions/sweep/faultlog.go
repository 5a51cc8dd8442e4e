package sweep

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/errext"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// faultPatience is how long a fault waits to be logged, as long as nothing has succeeded.
const faultPatience = 1500 * time.Millisecond

// faultLog logs what makes operations fail, once for each cause of a step. As long as nothing of
// the sweep has succeeded it waits a moment: when all clients fail with one cause, the line that
// ends the sweep says it, and nothing else has to.
type faultLog struct {
	mu      sync.Mutex
	atOnce  bool
	waiting []fault
}

// fault is what made an operation fail.
type fault struct {
	logger logrus.FieldLogger
	err    error
	since  time.Time
}

// tell logs an error, now or later.
func (l *faultLog) tell(logger logrus.FieldLogger, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.atOnce {
		logFault(logger, err)

		return
	}
	l.waiting = append(l.waiting, fault{logger: logger, err: err, since: time.Now()})
}

// flush logs what has waited for so long.
func (l *faultLog) flush(waited time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.waiting) > 0 && time.Since(l.waiting[0].since) >= waited {
		logFault(l.waiting[0].logger, l.waiting[0].err)
		l.waiting = l.waiting[1:]
	}
}

// hurry logs all errors at once from now on.
func (l *faultLog) hurry() {
	l.flush(0)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.atOnce = true
}

// forget logs what waits, but for one error that is said elsewhere.
func (l *faultLog) forget(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.waiting {
		if measure.Cause(f.err.Error()) != measure.Cause(err.Error()) {
			logFault(f.logger, f.err)
		}
	}
	l.waiting = nil
}

// logFault says what went wrong with an operation.
func logFault(logger logrus.FieldLogger, err error) {
	if at := placeOf(err); at != "" {
		logger = logger.WithField("at", at)
	}
	logger.Errorf("operation failed: %s", err)
}

// placeOf is where in the script an error was thrown, "file:line:column"; empty when that is
// unknown.
func placeOf(err error) string {
	var script *scriptError
	if errors.As(err, &script) {
		return script.at
	}

	return ""
}

// allFailed ends a sweep whose clients all fail with one cause, as k6's test.abort ends a test. k6
// logs its Error when the executor has ended and its StackTrace when the test has: the cause is to
// be read once.
type allFailed struct{ *errext.InterruptError }

func (allFailed) Error() string { return "the sweep ends early, nothing in it can succeed" }

// StackTrace is the reason: k6 shows it in place of Error.
func (e allFailed) StackTrace() string { return e.Reason }

// Unwrap lets k6 find out that the test was aborted.
func (e allFailed) Unwrap() error { return e.InterruptError }

// allFail says that all clients fail with one cause.
func allFail(clients int, err error, failures uint64) allFailed {
	who := "all " + report.Plural(clients, "client")
	verb := "fail"
	if clients == 1 {
		who, verb = "the only client", "fails"
	}
	where := ""
	if at := placeOf(err); at != "" {
		where = fmt.Sprintf(" (at %s)", at)
	}

	return allFailed{&errext.InterruptError{Reason: fmt.Sprintf(
		"no operation has succeeded, and %s %s with one cause, %s times by now: %s%s. Check %s. onError: 'continue' goes on nevertheless",
		who, verb, report.Thousands(int64(failures)), strings.TrimRight(err.Error(), "."), where, toCheck(err))}}
}

// advice says what to check where an error reads like one of these.
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
	for _, a := range advice {
		if a.text.MatchString(err.Error()) {
			return a.check
		}
	}

	return "the script, the server's address, user and password"
}
