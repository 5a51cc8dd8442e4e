//go:build !linux || portable

package host

import (
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

// systemAccount is empty: only Linux has these counters.
type systemAccount struct{}

func readAccount([]int32) (s systemAccount) { return s }

func (s *systemAccount) since(*systemAccount, witness.Evidence, float64) {}

func readMachine() *machineTimes { return nil }

// clocks returns 0.
func clocks([]int32) time.Duration { return 0 }

func descendants(pids []int32) []int32 { return pids }

// peers returns nothing.
func peers() (pids []int32, here, known bool) { return nil, false, false }

// cpuQuota returns 0: no quota.
func cpuQuota() float64 { return 0 }
