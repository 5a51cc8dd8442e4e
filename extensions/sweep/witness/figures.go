package witness

import (
	"fmt"
	"strconv"
)

// Evidence is what is known of a step, by the names of its figures. What is not known is missing.
type Evidence map[string]float64

// The names of the figures. Processors are a number of them: 1.5 is one and a half, all the time.
const (
	// Of the step itself.

	// Seconds is the time for which the step was measured.
	Seconds = "seconds"
	// Operations have ended in it, failed ones as well.
	Operations = "operations"
	// ClientsAtWork is how many clients the step had.
	ClientsAtWork = "clients"
	// MeanMs is the mean duration of its operations.
	MeanMs = "meanMs"
	// UnderWay is the part of the clients' time in which they had an operation under way: by Little's
	// law 1 in a closed loop.
	UnderWay = "underWay"
	// ClientWaitMs is how long answers waited in their sockets for their clients, on average.
	ClientWaitMs = "clientWaitMs"
	// RateKept is, of an open loop, the part of what was due that started in time, and LateByK6 the
	// part that k6 itself did not start in time.
	RateKept = "rateKept"
	LateByK6 = "lateByK6"
	// NoFiles and NoPorts are operations that failed because there was none left.
	NoFiles = "noFiles"
	NoPorts = "noPorts"
	// ServerFull are operations that the server refused since it takes no client more.
	ServerFull = "serverFull"
	// DriftPart is by how much the rate changed for good, as a part of it; DriftChance is how likely
	// chance alone would have changed it so, and DriftErrors how many standard errors that is.
	DriftPart   = "drift"
	DriftChance = "driftChance"
	DriftErrors = "driftErrors"
	// StoodStill is the part of the step in which no operation ended where some would have, and
	// LongestStill the longest time in which none ended, in seconds.
	StoodStill   = "stoodStill"
	LongestStill = "longestStillSeconds"
	// ClientsRatio is how many times the clients of the step before the step had, and OpsRatio how
	// many times its operations a second.
	ClientsRatio = "clientsRatio"
	OpsRatio     = "opsRatio"

	// Of the machine and of k6, as far as the system tells.

	// Processors are those of the machine.
	Processors = "processors"
	// Idle are those that nobody used.
	Idle = "idle"
	// Stolen are those that the hypervisor gave to other machines.
	Stolen = "stolen"
	// K6 are those that k6 used, and K6Processors those that it may use.
	K6           = "k6"
	K6Processors = "k6Processors"
	// ServerHere is 1 when the server is on this machine, 0 when it is not, and missing when that is
	// not known.
	ServerHere = "serverHere"
	// ServerUsed are those that a server on this machine used, and ServerThread the one that the
	// busiest of its threads used.
	ServerUsed   = "server"
	ServerThread = "serverThread"
	// Others are those that neither k6 nor the server used, and Disturbing those of them while
	// nothing was idle.
	Others     = "others"
	Disturbing = "disturbing"
	// Throttled is the part of the periods in which k6's control group was held at its quota.
	Throttled = "throttled"
	// Waited are those for which threads of k6 and of the server waited that were ready to run, and
	// K6Waited those for which threads of k6 did.
	Waited   = "waited"
	K6Waited = "k6Waited"
	// Collector are those that the collection of garbage used.
	Collector = "collector"
	// PauseMs is the longest time for which the collector stopped all of k6.
	PauseMs = "gcPauseMaxMs"
	// SchedulerMs is how long goroutines waited that were ready to run, at the 99th percentile.
	SchedulerMs = "schedulerP99Ms"
	// Locks is how many goroutines of k6 waited for a lock, on average, as Go's runtime tells it.
	Locks = "locks"
	// LateMeanMs, LateP99Ms and LateMaxMs are how late a goroutine of k6 woke that slept for 50 ms.
	LateMeanMs = "lateMeanMs"
	LateP99Ms  = "lateP99Ms"
	LateMaxMs  = "lateMaxMs"
	// Retransmitted is the part of the segments that k6's sockets sent again, and SentAgain how many.
	Retransmitted = "retransmitted"
	SentAgain     = "sentAgain"
	// Blocked is the part of the time in which k6's sockets had something to send that they waited
	// for room in their buffers.
	Blocked = "blocked"
	// OpenFiles are the files that k6 had open, and FileLimit those that it may have.
	OpenFiles = "openFiles"
	FileLimit = "fileLimit"
)

// Figure is a figure of the evidence as tables show it.
type Figure struct {
	Name, Title string
	Show        func(float64) string
}

// Figures are those that tables show, in their order.
var Figures = []Figure{ //nolint:gochecknoglobals // a constant
	{Processors, "processors", plain},
	{K6, "used by k6", plain},
	{ServerUsed, "by the server", plain},
	{Others, "by others", plain},
	{Stolen, "stolen", plain},
	{Idle, "idle", plain},
	{Collector, "collector", plain},
	{Throttled, "throttled", percent},
	{UnderWay, "under way", percent},
	{LateP99Ms, "lateness p99", millis},
	{SchedulerMs, "scheduler p99", millis},
	{PauseMs, "longest GC pause", millis},
	{Retransmitted, "sent again", percent},
	{DriftPart, "drift", percent},
}

// plain writes a number of processors.
func plain(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

func percent(part float64) string { return fmt.Sprintf("%.3g %%", 100*part) }

func millis(ms float64) string {
	if ms >= 999.5 {
		return fmt.Sprintf("%.3g s", ms/1000)
	}

	return fmt.Sprintf("%.3g ms", ms)
}
