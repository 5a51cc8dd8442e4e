package nats

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

// idleHint is how long a callback waits for a message before the log explains why the iteration
// does not end.
const idleHint = 5 * time.Second

// idle logs, once per test, that an iteration waits for messages that do not arrive: k6 does not
// end an iteration with an open callback. Users of xk6-nats do not expect that.
type idle struct {
	after time.Duration
	once  sync.Once
}

type idleWatch struct {
	// came means that a message has arrived since the last check.
	came, over atomic.Bool
}

// watch starts for a feed with a callback. The caller reports messages to the result.
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
