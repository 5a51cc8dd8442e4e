package fault

import (
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Patience is how long a fault waits to be logged, as long as nothing has succeeded.
const Patience = 1500 * time.Millisecond

// Log logs what makes operations fail, once for each cause of a step. As long as nothing of
// the sweep has succeeded it waits a moment: when all clients fail with one cause, the line that
// ends the sweep says it, and nothing else has to.
type Log struct {
	mu sync.Mutex
	// atOnce tells that errors do not wait any more.
	atOnce  bool
	waiting []waitingFault
}

// waitingFault is what made an operation fail.
type waitingFault struct {
	logger logrus.FieldLogger
	err    error
	since  time.Time
}

// Tell logs an error, now or later.
func (l *Log) Tell(logger logrus.FieldLogger, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.atOnce {
		logFault(logger, err)

		return
	}
	l.waiting = append(l.waiting, waitingFault{logger: logger, err: err, since: time.Now()})
}

// Flush logs what has waited for so long.
func (l *Log) Flush(waited time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.waiting) > 0 && time.Since(l.waiting[0].since) >= waited {
		logFault(l.waiting[0].logger, l.waiting[0].err)
		l.waiting = l.waiting[1:]
	}
}

// Hurry logs all errors at once from now on.
func (l *Log) Hurry() {
	l.Flush(0)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.atOnce = true
}

// Forget logs what waits, but for one error that is said elsewhere.
func (l *Log) Forget(err error) {
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
	logger.Errorf("operation failed: %s", measure.ShortText(err.Error()))
}
