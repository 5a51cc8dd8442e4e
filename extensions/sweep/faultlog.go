package sweep

import (
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
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
