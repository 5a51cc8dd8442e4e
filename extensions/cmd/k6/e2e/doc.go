// Package e2e tests the binary as its users run it: scripts through a real k6 against real servers.
//
// Most tests call t.Parallel, and run side by side on a full machine. Those that do not are of the
// stage e2e-alone: they judge a time, a rate or what a server uses, or count something of a server
// that other tests use. In that stage, tests that call calm run four at a time: they wait, and use
// little of a processor. The others run before those, one after the other.
//
// Keep a test cheap: give it few clients and some hundred operations, unless what it shows needs
// more, and wait for what must happen. What only reads a script runs with reader, and what is
// refused before a client begins with refused: without the race detector it takes a tenth of the
// time.
package e2e
