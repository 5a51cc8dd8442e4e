// Package e2e tests the binary as its users run it: scripts through a real k6 against real servers.
//
// Most tests call t.Parallel, and run side by side: they wait more than they compute. A test does
// not call it when it judges a time, a rate or what a server uses, or when it changes or counts
// something of a server that other tests use. Those run alone, one after the other, and before the
// others; make test gives them a stage of their own, e2e-alone.
package e2e
