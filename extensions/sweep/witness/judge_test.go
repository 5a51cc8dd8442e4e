package witness

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
)

// quiet is a step of 8 clients with a local server on 4 processors, where nothing is full.
func quiet() Evidence {
	return Evidence{
		Seconds: 3, Operations: 30_000, ClientsAtWork: 8, MeanMs: 0.8, UnderWay: 0.99,
		DriftPart: 0.05, DriftChance: 0.5, StoodStill: 0, LongestStill: 0,
		Processors: 4, Idle: 2, Stolen: 0.01, K6: 1, K6Processors: 4,
		ServerHere: 1, ServerUsed: 0.9, ServerThread: 0.5, Others: 0.05, Disturbing: 0,
		Throttled: 0, Collector: 0.1, Retransmitted: 0, SentAgain: 0, Blocked: 0, LateMaxMs: 3, Waited: 0.19,
	}
}

// away is like quiet, with a remote server.
func away() Evidence {
	e := quiet()
	e[ServerHere] = 0
	delete(e, ServerUsed)
	delete(e, ServerThread)

	return e
}

func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change Evidence
		want   Word
	}{
		{"nothing is full", nil, Clients},
		{"one client", Evidence{ClientsAtWork: 1, K6: 0.5, ServerUsed: 0.3, Idle: 3.2}, Clients},

		{"nine operations", Evidence{Operations: 9}, Short},
		{"ten operations", Evidence{Operations: 10}, Clients},
		{"hardly a quarter of a second", Evidence{Seconds: 0.249}, Short},
		{"a quarter of a second", Evidence{Seconds: 0.25}, Clients},
		{"short, and disturbed", Evidence{Seconds: 0.1, Throttled: 0.5}, Short},
		{"short, and without a file", Evidence{Seconds: 0.1, NoFiles: 5}, Short},

		{"one operation without a file", Evidence{NoFiles: 1, FileLimit: 20}, Files},
		{"one operation without a port", Evidence{NoPorts: 1}, Ports},
		{"one operation that a full server refused", Evidence{ServerFull: 1}, Server},
		{"a full server beside a neighbour", Evidence{ServerFull: 5, Disturbing: 2}, Server},
		{"no file, on a disturbed machine", Evidence{NoFiles: 3, Disturbing: 2}, Files},

		{"throttled in a tenth of the periods", Evidence{Throttled: 0.1}, Neighbour},
		{"hardly throttled", Evidence{Throttled: 0.099}, Clients},
		{"a twentieth of the busy time stolen", Evidence{Stolen: 0.1}, Neighbour},
		{"less than that stolen", Evidence{Stolen: 0.099}, Clients},
		{"as much stolen of a busier machine", Evidence{Stolen: 0.1, Idle: 1.9}, Clients},
		{"a fiftieth of all stolen", Evidence{Stolen: 0.08, Idle: 3.9}, Neighbour},
		{"less than that stolen of a machine that is nearly idle", Evidence{Stolen: 0.079, Idle: 3.9}, Clients},
		{"others use a twelfth of a full machine", Evidence{Disturbing: 4.0 / 12}, Neighbour},
		{"others use less of it", Evidence{Disturbing: 0.33}, Clients},
		{"others use it, and nobody waits", Evidence{Disturbing: 3, Waited: 0.189}, Clients},
		{"others use what is idle", Evidence{Others: 1.5, Idle: 0.55}, Clients},
		{"a rate that was kept beside a neighbour", Evidence{RateKept: 1, Disturbing: 1}, Neighbour},
		{"a neighbour that makes it unsteady", Evidence{Disturbing: 1, DriftPart: 0.5, DriftChance: 0.001, DriftErrors: 4.5}, Neighbour},

		{"a hundredth is sent again", Evidence{SentAgain: 10, Retransmitted: 0.01}, Network},
		{"less than that is sent again", Evidence{SentAgain: 1000, Retransmitted: 0.0099}, Clients},
		{"few segments, and some sent again", Evidence{SentAgain: 9, Retransmitted: 0.5}, Clients},
		{"no room for a fifth of the time", Evidence{Blocked: 0.2}, Network},
		{"room enough", Evidence{Blocked: 0.19}, Clients},

		{"a server that stands still", Evidence{StoodStill: 0.101, LongestStill: 0.2}, Server},
		{"a server that stands still beside a neighbour", Evidence{StoodStill: 0.3, LongestStill: 1, Disturbing: 1}, Server},
		{"a server that reads nothing either", Evidence{StoodStill: 0.3, LongestStill: 1, Blocked: 0.5}, Server},
		{"a full network beside a neighbour", Evidence{Blocked: 0.5, Disturbing: 1}, Neighbour},
		{"for a tenth of the step", Evidence{StoodStill: 0.1, LongestStill: 0.9}, Clients},
		{"k6 stood still itself", Evidence{StoodStill: 0.4, LongestStill: 0.3, LateMaxMs: 151}, K6Itself},
		{"k6 stood still at its quota", Evidence{StoodStill: 0.5, LongestStill: 0.05, LateMaxMs: 50, Throttled: 0.9}, Neighbour},
		{"k6 stood still itself, for a moment", Evidence{StoodStill: 0.1, LongestStill: 0.3, LateMaxMs: 151}, Clients},
		{"a hundredth is late by k6", Evidence{RateKept: 0.99, LateByK6: 0.01}, Rate},
		{"more is late by k6", Evidence{RateKept: 0.98, LateByK6: 0.011, Disturbing: 1}, K6Itself},
		{"what is late is so by the server", Evidence{RateKept: 0.98}, Clients},
		{"a standstill and a change for good", Evidence{StoodStill: 0.3, LongestStill: 1, DriftPart: 0.9, DriftChance: 0.001, DriftErrors: 4.5}, Server},

		{"a fifth slower, surely", Evidence{DriftPart: 0.2, DriftChance: 0.02, DriftErrors: 4.5}, Unsteady},
		{"a fifth slower, of a rate that wanders", Evidence{DriftPart: 0.2, DriftChance: 0.02, DriftErrors: 4.4}, Clients},
		{"a fifth slower, perhaps", Evidence{DriftPart: 0.2, DriftChance: 0.021, DriftErrors: 4.5}, Clients},
		{"hardly slower, surely", Evidence{DriftPart: 0.199, DriftChance: 0.001, DriftErrors: 4.5}, Clients},
		{"unsteady, on a full machine", Evidence{DriftPart: 0.3, DriftChance: 0.001, DriftErrors: 4.5, K6: 3, Idle: 0}, Unsteady},

		{"the script sleeps for a fifth of the time", Evidence{UnderWay: 0.799}, K6Itself},
		{"the script does a little beside", Evidence{UnderWay: 0.8}, Clients},
		{"several operations at a time", Evidence{UnderWay: 3}, Clients},

		{"all that was due", Evidence{RateKept: 0.99}, Rate},
		{"hardly all that was due", Evidence{RateKept: 0.989}, Clients},
		{"all that was due, on a full machine", Evidence{RateKept: 1, K6: 2, ServerUsed: 2, Idle: 0}, Rate},

		{"both fill the machine", Evidence{K6: 2, ServerUsed: 1.7, Idle: 0.3}, Host},
		{"both fill hardly less of it", Evidence{K6: 2, ServerUsed: 1.6, Idle: 0.33}, Clients},
		{"k6 fills it", Evidence{K6: 3.4, ServerUsed: 0.3, Idle: 0.2}, K6Itself},
		{"k6 does most of a full machine's work", Evidence{K6: 3.4, ServerUsed: 0.6, Idle: 0}, K6Itself},
		{"k6 does much of a full machine's work", Evidence{K6: 3.3, ServerUsed: 0.6, Idle: 0.1}, Host},
		{"the server does most of it", Evidence{K6: 0.5, ServerUsed: 2.9, Idle: 0.3}, Server},
		{"the server does much of it", Evidence{K6: 0.6, ServerUsed: 3.1, Idle: 0.3}, Host},

		{"GOMAXPROCS=1 and more to do", Evidence{K6Processors: 1, K6: 0.9}, K6Itself},
		{"GOMAXPROCS=1 and less to do", Evidence{K6Processors: 1, K6: 0.89}, Clients},
		{"GOMAXPROCS=1, and another thread on that processor", Evidence{K6Processors: 1, K6: 0.7, K6Waited: 0.21}, K6Itself},
		{"GOMAXPROCS=1, hardly waited for", Evidence{K6Processors: 1, K6: 0.7, K6Waited: 0.19}, Clients},
		{"all processors, waited for while some are idle", Evidence{K6: 1.9, K6Waited: 3}, Clients},
		{"a server with one thread", Evidence{ServerThread: 0.9}, Server},
		{"a server with one thread that rests", Evidence{ServerThread: 0.89}, Clients},
		{"a script that computes", Evidence{ClientsAtWork: 2, K6: 1.5}, K6Itself},
		{"a script that computes a little", Evidence{ClientsAtWork: 2, K6: 1.49}, Clients},
		{"an open loop of a script that computes", Evidence{ClientsAtWork: 1, K6: 1.5, RateKept: 0.5}, Clients},
	} {
		e := quiet()
		maps.Copy(e, tt.change)
		word, why := Judge(e)
		require.Equal(t, tt.want, word, "%s: %s", tt.name, why)
		require.Regexp(t, `^[A-Zk0-9].*\.$`, why, tt.name)
		require.NotContains(t, why, "%!", tt.name)
	}
}

func TestJudgeOfARemoteServer(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change Evidence
		want   Word
	}{
		{"the first step", nil, Unknown},
		{"twice the clients, no more operations", Evidence{ClientsRatio: 2, OpsRatio: 1.099}, Server},
		{"twice the clients, fewer operations", Evidence{ClientsRatio: 2, OpsRatio: 0.8}, Server},
		{"twice the clients, few more operations", Evidence{ClientsRatio: 2, OpsRatio: 1.11}, Unknown},
		{"twice the clients, nearly twice the operations", Evidence{ClientsRatio: 2, OpsRatio: 1.8}, Clients},
		{"twice the clients, many more operations", Evidence{ClientsRatio: 2, OpsRatio: 1.79}, Unknown},
		{"hardly more clients", Evidence{ClientsRatio: 1.49, OpsRatio: 1}, Unknown},
		{"no more operations from a busy k6", Evidence{ClientsRatio: 2, OpsRatio: 1, K6: 2.8, Idle: 1}, Unknown},
		{"k6 uses most of its processors", Evidence{K6: 3.4, Idle: 0.3}, K6Itself},
		{"k6 uses all that GOMAXPROCS lets it", Evidence{K6: 1.9, K6Processors: 2}, K6Itself},
		{"the machine is full, and not of k6", Evidence{K6: 2, Idle: 0.1}, Unknown},
		{"its sockets wait", Evidence{Blocked: 0.5}, Network},
		{"it stands still", Evidence{StoodStill: 0.3, LongestStill: 1}, Server},
	} {
		e := away()
		maps.Copy(e, tt.change)
		word, why := Judge(e)
		require.Equal(t, tt.want, word, "%s: %s", tt.name, why)
	}
	_, why := Judge(away())
	require.Equal(t, "The server is on another machine, which k6 cannot observe.", why)
}

// Without readings of the system, only the step's own figures decide.
func TestJudgeWithoutTheSystem(t *testing.T) {
	step := func(change Evidence) Evidence {
		e := Evidence{Seconds: 3, Operations: 30_000, ClientsAtWork: 8, MeanMs: 0.8, UnderWay: 0.99}
		maps.Copy(e, change)

		return e
	}
	for _, tt := range []struct {
		e    Evidence
		want Word
	}{
		{step(nil), Unknown},
		{step(Evidence{ClientsRatio: 2, OpsRatio: 1}), Unknown},
		{step(Evidence{StoodStill: 0.9, LongestStill: 3}), Unknown},
		{step(Evidence{Seconds: 0.1}), Short},
		{step(Evidence{RateKept: 1}), Rate},
		{step(Evidence{UnderWay: 0.5}), K6Itself},
		{step(Evidence{DriftPart: 0.5, DriftChance: 0.001, DriftErrors: 4.5}), Unsteady},
		{Evidence{}, Short},
	} {
		word, why := Judge(tt.e)
		require.Equal(t, tt.want, word, why)
		require.NotEmpty(t, why)
	}
	unseen := away() // the server's processes are not visible
	delete(unseen, ServerHere)
	word, why := Judge(unseen)
	require.Equal(t, Unknown, word)
	require.Equal(t, "It is not known which process is the server, and on which machine: name it with sweep.meta({ target: { url } }).", why)
	unseen[Idle] = 0
	word, why = Judge(unseen)
	require.Equal(t, Unknown, word, "others than k6 may be the server")
	require.Contains(t, why, "The machine was full")
	unseen[K6] = 3.5
	word, _ = Judge(unseen)
	require.Equal(t, K6Itself, word)
}

func TestWhy(t *testing.T) {
	for want, change := range map[string]Evidence{
		"k6 used 1.90 and the server 1.90 of 4 processors, and none was idle.":                    {K6: 1.9, ServerUsed: 1.9, Idle: 0.1},
		"k6 used 3.50 of 4.00 processors, 40 % of that for garbage collection.":                   {K6: 3.5, Idle: 0.1, Collector: 1.4},
		"Other processes used 1.25 of 4 processors while none was idle.":                          {Disturbing: 1.25},
		"The hypervisor gave 10 % of the busy time to other machines.":                            {Stolen: 0.2},
		"No operation ended for 33 % of 3 s, up to 1 s at a time, and k6 was late by up to 3 ms.": {StoodStill: 0.33, LongestStill: 1},
		"No operation ended for 33 % of 3 s, up to 1 s at a time, and k6 was late by up to 1.5 s: k6 itself stalled.": {
			StoodStill: 0.33, LongestStill: 1, LateMaxMs: 1500,
		},
		"k6 itself started 20 % of the operations late.":                                                                {LateByK6: 0.2},
		"7 operations failed because k6 may open no more files than 20.":                                                {NoFiles: 7, FileLimit: 20},
		"The step was measured for 0.1 s, and at least 0.25 s are needed.":                                              {Seconds: 0.1},
		"k6 used 0.90 of 4.00 processors for 1 client: the operations are k6's own work.":                               {K6: 0.9, ClientsAtWork: 1},
		"k6 used 1.60 of 4.00 processors for 2 clients: the operations are k6's own work.":                              {K6: 1.6, ClientsAtWork: 2},
		"k6 used 0.70 of 1.00 processors, and waited for a processor for 25 % of the time.":                             {K6: 0.7, K6Waited: 0.25, K6Processors: 1},
		"A thread of the server used 0.95 of a processor, and it cannot use more than one.":                             {ServerThread: 0.95},
		"8 clients waited 0.8 ms for each answer, and nothing was full: k6 used 1.00, the server 0.90 of 4 processors.": {},
	} {
		e := quiet()
		maps.Copy(e, change)
		_, why := Judge(e)
		require.Equal(t, want, why)
	}
}

func TestWordsAreKnown(t *testing.T) {
	require.Len(t, Words, 12)
	for _, w := range Words {
		require.True(t, w.Known())
	}
	require.False(t, Word("").Known())
}
