package measure

import (
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
)

// now returns the monotonic time since the process started.
func now() time.Duration { return clock.Now() }
