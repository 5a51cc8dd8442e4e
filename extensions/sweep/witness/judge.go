package witness

import "fmt"

// Limits of the rules in the package comment.
const (
	leastSeconds    = 0.25
	leastOperations = 10

	stolenPart    = 0.05
	leastStolen   = 0.02
	throttledPart = 0.1
	disturbedPart = 1.0 / 12
	// waitedPart is the minimum time that threads of k6 and the server waited for a processor,
	// relative to the time that they ran.
	waitedPart = 0.1

	resentPart  = 0.01
	leastResent = 10
	blockedPart = 0.2

	stillPart = 0.1
	// stillLate is the minimum length of a server's stall relative to k6's lateness. A shorter stall
	// is k6's.
	stillLate = 2
	latePart  = 0.01

	leastUnderWay = 0.8
	keptRate      = 0.99

	// fullIdle is the maximum idle share of a full machine.
	fullIdle = 0.08
	// mostOfUsed is the share of the used time that makes one of k6 and the server the main user.
	mostOfUsed = 0.85
	// fullPart is the used share from which on k6's processors, or the processor of a server thread,
	// count as full.
	fullPart = 0.9
	// ownPart is the share of the clients' time from which on k6's own work counts as the limit.
	ownPart = 0.75

	// A remote server is judged only if the number of clients grew at least by the factor moreClients.
	// noGain and wholeGain limit the growth of operations, relative to the growth of clients.
	moreClients = 1.5
	noGain      = 0.1
	wholeGain   = 0.8
	// idlePart is the used share of k6's processors up to which k6 counts as far from full.
	idlePart = 0.7
)

// Judge returns what limited a step, and why.
func Judge(e Evidence) (word Word, why string) {
	for _, rule := range []func(Evidence) (Word, string){
		short, used, refused, standstill, late, neighbour, network, unsteady, Little, rate, full, elsewhere,
	} {
		if word, why = rule(e); word != "" {
			return word, why
		}
	}

	return clients(e)
}

func (e Evidence) has(names ...string) bool {
	for _, name := range names {
		if _, known := e[name]; !known {
			return false
		}
	}

	return true
}

func short(e Evidence) (Word, string) {
	switch {
	case e[Operations] < leastOperations:
		return Short, fmt.Sprintf("%.0f operations ended, and at least %d are needed.", e[Operations], leastOperations)
	case e[Seconds] < leastSeconds:
		return Short, fmt.Sprintf("The step was measured for %.3g s, and at least %g s are needed.", e[Seconds], leastSeconds)
	}

	return "", ""
}

// used judges whether k6 ran out of files or ports.
func used(e Evidence) (Word, string) {
	switch {
	case e[NoFiles] > 0:
		why := fmt.Sprintf("%.0f operations failed because k6 may open no more files", e[NoFiles])
		if limit := e[FileLimit]; limit > 0 {
			why += fmt.Sprintf(" than %.0f", limit)
		}

		return Files, why + "."
	case e[NoPorts] > 0:
		return Ports, fmt.Sprintf("%.0f operations failed because k6 had no local port left.", e[NoPorts])
	}

	return "", ""
}

// refused judges whether the server has reached its limit of clients.
func refused(e Evidence) (Word, string) {
	if e[ServerFull] == 0 {
		return "", ""
	}

	return Server, fmt.Sprintf("The server refused %.0f operations: its limit of connections is reached.", e[ServerFull])
}

func neighbour(e Evidence) (Word, string) {
	busy := e[Processors] - e[Idle]
	switch {
	case e[Throttled] >= throttledPart:
		return Neighbour, fmt.Sprintf("k6's control group was throttled in %s of its periods.", percent(e[Throttled]))
	case busy > 0 && e[Stolen] >= stolenPart*busy && e[Stolen] >= leastStolen*e[Processors]:
		return Neighbour, fmt.Sprintf("The hypervisor gave %s of the busy time to other machines.",
			percent(e[Stolen]/busy))
	case e[Processors] > 0 && e[Disturbing] >= disturbedPart*e[Processors] && e[Waited] >= waitedPart*(e[K6]+e[ServerUsed]):
		return Neighbour, fmt.Sprintf("Other processes used %s of %.0f processors while none was idle.",
			plain(e[Disturbing]), e[Processors])
	}

	return "", ""
}

func network(e Evidence) (Word, string) {
	switch {
	case e[SentAgain] >= leastResent && e[Retransmitted] >= resentPart:
		return Network, fmt.Sprintf("k6 sent %.0f TCP segments again, %s of all.", e[SentAgain], percent(e[Retransmitted]))
	case e[Blocked] >= blockedPart:
		return Network, fmt.Sprintf("k6 waited for space in its send buffers for %s of its sending time.",
			percent(e[Blocked]))
	}

	return "", ""
}

// StillByK6 reports whether k6 itself stalled: it woke about as late as the longest gap.
func (e Evidence) StillByK6() bool {
	return e.has(LateMaxMs) && e[LongestStill]*1000 < stillLate*e[LateMaxMs]
}

// standstill judges stalls. If k6 woke late too, it or its CPU quota is the cause; otherwise it is
// the server.
func standstill(e Evidence) (Word, string) {
	if e[StoodStill] <= stillPart || !e.has(LateMaxMs) {
		return "", ""
	}
	why := fmt.Sprintf("No operation ended for %s of %.3g s, up to %.3g s at a time, and k6 was late by up to %s",
		percent(e[StoodStill]), e[Seconds], e[LongestStill], millis(e[LateMaxMs]))
	if e.StillByK6() {
		if e[Throttled] >= throttledPart {
			return neighbour(e)
		}

		return K6Itself, why + ": k6 itself stalled."
	}

	return Server, why + "."
}

// late judges an open loop that k6 could not keep up with.
func late(e Evidence) (Word, string) {
	if e[LateByK6] <= latePart {
		return "", ""
	}

	return K6Itself, fmt.Sprintf("k6 itself started %s of the operations late.", percent(e[LateByK6]))
}

func unsteady(e Evidence) (Word, string) {
	if e[DriftPart] < driftPart || e[DriftChance] > driftChance || e[DriftErrors] < driftErrors {
		return "", ""
	}

	return Unsteady, fmt.Sprintf("The rate changed by %s during the step.", percent(e[DriftPart]))
}

// Little judges whether the clients of a closed loop did other work than operations. It returns ""
// if not.
func Little(e Evidence) (Word, string) {
	if part, known := e[UnderWay]; !known || part >= leastUnderWay {
		return "", ""
	}

	return K6Itself, fmt.Sprintf("Operations took only %s of the clients' time: the script did other work.",
		percent(e[UnderWay]))
}

func rate(e Evidence) (Word, string) {
	if e[RateKept] < keptRate {
		return "", ""
	}

	return Rate, fmt.Sprintf("%s of the operations that were due started in time.", percent(e[RateKept]))
}

// full returns who used up the machine, or the processors that k6 or a server thread may use.
func full(e Evidence) (Word, string) {
	if !e.has(K6, K6Processors, Processors, Idle) {
		return "", ""
	}
	k6 := fmt.Sprintf("k6 used %s of %s processors", plain(e[K6]), plain(e[K6Processors]))
	if part := e[Collector] / e[K6]; e[K6] > 0 && part >= 0.25 {
		k6 += fmt.Sprintf(", %s of that for garbage collection", percent(part))
	}
	switch {
	case e[Idle] <= fullIdle*e[Processors]:
		if word, why := shared(e, k6); word != "" {
			return word, why
		}
	case e[K6] >= fullPart*e[K6Processors]:
		return K6Itself, k6 + "."
	// Other threads may run on the processors of a k6 that may use only some of them.
	case e[K6Processors] < e[Processors] && e[K6]+e[K6Waited] >= fullPart*e[K6Processors]:
		return K6Itself, fmt.Sprintf("%s, and waited for a processor for %s of the time.", k6, percent(e[K6Waited]))
	}
	if e[ServerThread] >= fullPart {
		return Server, fmt.Sprintf("A thread of the server used %s of a processor, and it cannot use more than one.", plain(e[ServerThread]))
	}
	if !e.has(RateKept) && e[ClientsAtWork] > 0 && e[K6] >= ownPart*e[ClientsAtWork] {
		return K6Itself, fmt.Sprintf("%s for %s: the operations are k6's own work.", k6, atWork(e))
	}

	return "", ""
}

// shared returns who used most of a full machine.
func shared(e Evidence, k6 string) (Word, string) {
	here, known := e[ServerHere]
	switch {
	case e[K6] >= mostOfUsed*min(e[K6Processors], e[Processors]), here == 1 && e[K6] >= mostOfUsed*(e[K6]+e[ServerUsed]):
		return K6Itself, k6 + "."
	case !known:
		return Unknown, fmt.Sprintf("The machine was full: %s, and it is not known which other process is the server"+nameIt, k6)
	case here == 0:
		return "", ""
	case e[ServerUsed] >= mostOfUsed*(e[K6]+e[ServerUsed]):
		return Server, fmt.Sprintf("The server used %s of %.0f processors, and none was idle.", plain(e[ServerUsed]), e[Processors])
	}

	return Host, fmt.Sprintf("k6 used %s and the server %s of %.0f processors, and none was idle.",
		plain(e[K6]), plain(e[ServerUsed]), e[Processors])
}

// elsewhere judges a remote server by the gain from more clients.
func elsewhere(e Evidence) (Word, string) {
	switch here, known := e[ServerHere]; {
	case !e.has(K6, K6Processors, Processors):
		return Unknown, "This system provides too few figures."
	case here == 1:
		return "", ""
	case known && e[ClientsRatio] >= moreClients && e[K6] < idlePart*e[K6Processors]:
		gain := (e[OpsRatio] - 1) / (e[ClientsRatio] - 1)
		why := fmt.Sprintf("%s times the clients had %s times the operations a second, and k6 used %s of %s processors.",
			plain(e[ClientsRatio]), plain(e[OpsRatio]), plain(e[K6]), plain(e[K6Processors]))
		if gain <= noGain {
			return Server, why
		}
		if gain >= wholeGain {
			return Clients, why
		}
	}
	if _, known := e[ServerHere]; known {
		return Unknown, "The server is on another machine, which k6 cannot observe."
	}

	return Unknown, "It is not known which process is the server, and on which machine" + nameIt
}

// nameIt ends a sentence about an unknown server.
const nameIt = ": name it with sweep.meta({ target: { url } })."

func atWork(e Evidence) string {
	if e[ClientsAtWork] == 1 {
		return "1 client"
	}

	return fmt.Sprintf("%.0f clients", e[ClientsAtWork])
}

// clients returns the word and the reason if nothing was full.
func clients(e Evidence) (Word, string) {
	who := atWork(e)
	if e[ClientsAtWork] == 1 {
		who = "The client"
	}

	return Clients, fmt.Sprintf("%s waited %s for each answer, and nothing was full: k6 used %s, the server %s of %.0f processors.",
		who, millis(e[MeanMs]), plain(e[K6]), plain(e[ServerUsed]), e[Processors])
}
