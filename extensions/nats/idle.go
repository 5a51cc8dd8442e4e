package nats

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

// idleHint is how long a callback waits for a message before the log says what that holds up.
const idleHint = 5 * time.Second

// idle tells, once in a test, that an iteration waits for messages that do not come: k6 does not
// end it as long as there is a callback. That is new to those who come from xk6-nats.
type idle struct {
	after time.Duration
	once  sync.Once
}

// idleWatch is of one feed with a callback.
type idleWatch struct {
	// came tells that a message did since the last look.
	came, over atomic.Bool
}

// watch begins when there is a callback. What it returns is to be told of messages.
func (i *idle) watch(logger logrus.FieldLogger) *idleWatch {
	w := &idleWatch{}
	i.look(w, logger)

	return w
}

func (i *idle) look(w *idleWatch, logger logrus.FieldLogger) {
	time.AfterFunc(i.after, func() {
		defer crash.Contain("the watch of a callback")
		switch {
		case w.over.Load():
		case w.came.Swap(false):
			i.look(w, logger)
		default:
			i.once.Do(func() {
				logger.Warnf("a callback has got no message for %s, and the iteration lasts until its subscription is closed: "+
					"call close() of what subscribe returned, or give subscribe the option max", i.after)
			})
		}
	})
}
