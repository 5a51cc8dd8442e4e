//go:build !linux || portable

package host

import (
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

// systemAccount is empty: only Linux tells.
type systemAccount struct{}

func readAccount([]int32) (s systemAccount) { return s }

func (s *systemAccount) since(*systemAccount, witness.Evidence, float64) {}

// readMachine returns nil: this system does not tell.
func readMachine() *machineTimes { return nil }

// clocks is the processor time of processes, which is not known here.
func clocks([]int32) time.Duration { return 0 }

// descendants are those of processes, as far as they are known.
func descendants(pids []int32) []int32 { return pids }

// peers are the processes that k6 is connected to, which are not known here.
func peers() (pids []int32, here, known bool) { return nil, false, false }

// cpuQuota is that of the process's control group; zero: there is none.
func cpuQuota() float64 { return 0 }
