package witness

import "slices"

// Word is what limited a step.
type Word string

// The words.
const (
	// Server is a target's server that had no more to give, or stood still.
	Server Word = "server"
	// Client is k6 itself: Go, JavaScript or the collection of garbage.
	Client Word = "client"
	// Host is a full machine that k6 and the server share.
	Host Word = "host"
	// Neighbour is whoever else took processor time that k6 or the server wanted.
	Neighbour Word = "neighbour"
	// Rate is what was asked for, all of which was served.
	Rate Word = "rate"
	// Clients is their number: each waited for its answers, and nothing was full.
	Clients Word = "clients"
	// Network is a connection that lost what was sent, or could not take it.
	Network Word = "network"
	// Ports is the end of the ports from which to connect.
	Ports Word = "ports"
	// Files is the end of the files that k6 may have open.
	Files Word = "files"
	// Unsteady is a step in which the rate changed for good.
	Unsteady Word = "unsteady"
	// Short is a step with too little time, or too few operations, to tell.
	Short Word = "short"
	// Unknown is what the system does not tell.
	Unknown Word = "unknown"
)

// Words are all of them, the one that matters most of a whole first: of the parts of a step the
// first of their words is that of the step.
var Words = []Word{ //nolint:gochecknoglobals // a constant
	Short, Files, Ports, Neighbour, Network, Unsteady, Client, Host, Server, Rate, Clients, Unknown,
}

// Known tells whether it is one of the words.
func (w Word) Known() bool { return slices.Contains(Words, w) }
