//go:build !unix

package testutil

import (
	"errors"
	"os"
)

// Stop returns an error: this system cannot pause a process.
func Stop(*os.Process) error { return errors.ErrUnsupported }

// Continue returns an error, like Stop.
func Continue(*os.Process) error { return errors.ErrUnsupported }
