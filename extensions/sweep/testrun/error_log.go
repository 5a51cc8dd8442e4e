package testrun

import (
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

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
