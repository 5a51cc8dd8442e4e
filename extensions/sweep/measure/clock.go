package measure

import (
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
)

// now is the time since the process started, by a clock that never jumps.
func now() time.Duration { return clock.Now() }
