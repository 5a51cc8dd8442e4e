package witness

import (
	"fmt"
	"slices"
	"strconv"
)

// Evidence maps names of figures to values. Unknown figures are missing.
type Evidence map[string]float64

// Names of figures. Processor figures are averages: 1.5 means one and a half processors all the
// time.
const (
	// Figures of the step.

	// Seconds is the length of the measured phase.
	Seconds = "seconds"
	// Operations counts finished operations, including failed ones.
	Operations = "operations"
	// ClientsAtWork is the number of clients.
	ClientsAtWork = "clients"
	// MeanMs is the mean duration of operations.
	MeanMs = "meanMs"
	// UnderWay is the share of the clients' time spent in operations, by Little's law. It is 1 in a
	// closed loop.
	UnderWay = "underWay"
	// ClientWaitMs is how long answers waited to be read, on average.
	ClientWaitMs = "clientWaitMs"
	// RateKept is the share of due operations in an open loop that started in time, and LateByK6
	// the share delayed by k6.
	RateKept = "rateKept"
	LateByK6 = "lateByK6"
	// NoFiles and NoPorts count operations that failed because k6 had none left.
	NoFiles = "noFiles"
	NoPorts = "noPorts"
	// ServerFull counts operations refused because the server accepts no more clients.
	ServerFull = "serverFull"
	// DriftPart, DriftChance and DriftErrors are the results of Drift.
	DriftPart   = "drift"
	DriftChance = "driftChance"
	DriftErrors = "driftErrors"
	// StoodStill is the share of the step spent in standstills, and LongestStill the longest gap
	// between operations in seconds.
	StoodStill   = "stoodStill"
	LongestStill = "longestStillSeconds"
	// ClientsRatio and OpsRatio compare clients and ops/s with the previous step.
	ClientsRatio = "clientsRatio"
	OpsRatio     = "opsRatio"

	// Figures of the machine and of k6, if the system provides them.

	// Processors is the number of the machine's processors.
	Processors = "processors"
	// Idle is the number of idle processors.
	Idle = "idle"
	// Stolen is the number of processors that the hypervisor gave to other machines.
	Stolen = "stolen"
	// K6 is the number of processors that k6 used, and K6Processors the number that it may use.
	K6           = "k6"
	K6Processors = "k6Processors"
	// ServerHere is 1 for a local server and 0 for a remote one.
	ServerHere = "serverHere"
	// ServerUsed is the number of processors that a local server used, and ServerThread the share of
	// one that its busiest thread used.
	ServerUsed   = "server"
	ServerThread = "serverThread"
	// Others is the number of processors that other processes used, and Disturbing the part of it
	// while no processor was idle.
	Others     = "others"
	Disturbing = "disturbing"
	// Throttled is the share of periods in which k6's control group was throttled.
	Throttled = "throttled"
	// Waited is the average number of threads of k6 and the server that were ready but waited for a
	// processor, and K6Waited the number of k6's threads among them.
	Waited   = "waited"
	K6Waited = "k6Waited"
	// Collector is the number of processors that garbage collection used.
	Collector = "collector"
	// PauseMs is the longest stop-the-world pause.
	PauseMs = "gcPauseMaxMs"
	// SchedulerMs is the 99th percentile of how long ready goroutines waited.
	SchedulerMs = "schedulerP99Ms"
	// Locks is the average number of goroutines waiting for a lock.
	Locks = "locks"
	// LateMeanMs, LateP99Ms and LateMaxMs are how late a goroutine woke from sleeps of 50 ms.
	LateMeanMs = "lateMeanMs"
	LateP99Ms  = "lateP99Ms"
	LateMaxMs  = "lateMaxMs"
	// Retransmitted is the share of resent segments, and SentAgain their number.
	Retransmitted = "retransmitted"
	SentAgain     = "sentAgain"
	// Blocked is the share of the sending time in which k6's sockets waited for buffer space.
	Blocked = "blocked"
	// OpenFiles is the number of k6's open files, and FileLimit the limit.
	OpenFiles = "openFiles"
	FileLimit = "fileLimit"
)

// Figure is a figure of the evidence in tables.
type Figure struct {
	Name, Title string
	Show        func(float64) string
}

// Figures are the figures shown in tables, in order.
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

func plain(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

func percent(part float64) string { return fmt.Sprintf("%.3g %%", 100*part) }

func millis(ms float64) string {
	if ms >= 999.5 {
		return fmt.Sprintf("%.3g s", ms/1000)
	}

	return fmt.Sprintf("%.3g ms", ms)
}

// Word says what limited a step.
type Word string

const (
	// Server means that the server was full or stalled.
	Server Word = "server"
	// K6Itself means k6: Go, JavaScript or garbage collection.
	K6Itself Word = "k6"
	// Host means a full machine that k6 and the server share.
	Host Word = "host"
	// Neighbour means other users of the machine's processors.
	Neighbour Word = "neighbour"
	// Rate means that the requested rate was served.
	Rate Word = "rate"
	// Clients means the number of clients: nothing was full.
	Clients Word = "clients"
	// Network means lost or blocked data.
	Network Word = "network"
	// Ports means that k6 ran out of local ports.
	Ports Word = "ports"
	// Files means that k6 ran out of files.
	Files Word = "files"
	// Unsteady means that the rate changed permanently during the step.
	Unsteady Word = "unsteady"
	// Short means too little time or too few operations.
	Short Word = "short"
	// Unknown means that the system provides too little evidence.
	Unknown Word = "unknown"
)

// Words lists all words. The first word of any part of a step applies to the whole step.
var Words = []Word{ //nolint:gochecknoglobals // a constant
	Short, Files, Ports, Neighbour, Network, Unsteady, K6Itself, Host, Server, Rate, Clients, Unknown,
}

// Known reports whether w is one of Words.
func (w Word) Known() bool { return slices.Contains(Words, w) }
