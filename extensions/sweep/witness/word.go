package witness

import "slices"

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
