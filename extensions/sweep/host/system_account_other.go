//go:build !linux || portable

package host

import (
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

type systemAccount struct{}

func readAccount([]int32) (s systemAccount) { return s }

func (s *systemAccount) since(*systemAccount, witness.Evidence, float64) {}

func readMachine() *machineTimes { return nil }

func clocks([]int32) time.Duration { return 0 }

func descendants(pids []int32) []int32 { return pids }

func peers() (pids []int32, here, known bool) { return nil, false, false }

func cpuQuota() float64 { return 0 }
