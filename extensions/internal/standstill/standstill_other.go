//go:build !unix

package standstill

import (
	"errors"
	"os"
)

// Stop fails: there is no signal here that makes a process stand still.
func Stop(*os.Process) error { return errors.ErrUnsupported }

// Continue fails as Stop does.
func Continue(*os.Process) error { return errors.ErrUnsupported }
