package nats

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

const idleHint = 5 * time.Second

// idle logs, once per test, that an iteration waits for messages that do not arrive: k6 does
// not end an iteration with an open callback.
type idle struct {
	after time.Duration
	once  sync.Once
}

type idleWatch struct {
	came, over atomic.Bool
}

func (i *idle) watch(logger logrus.FieldLogger) *idleWatch {
	w := &idleWatch{}
	i.check(w, logger)

	return w
}

func (i *idle) check(w *idleWatch, logger logrus.FieldLogger) {
	time.AfterFunc(i.after, func() {
		defer crash.Contain("the watch of a callback")
		switch {
		case w.over.Load():
		case w.came.Swap(false):
			i.check(w, logger)
		default:
			i.once.Do(func() {
				logger.Warnf("a callback has received no message for %s, and the iteration lasts until its subscription is closed: "+
					"call close() of the subscription, or set its option max", i.after)
			})
		}
	})
}
