// Package e2e tests the binary as users run it: scripts in a real k6 with real servers.
//
// Most tests call t.Parallel, and run concurrently on a busy machine. The others belong to the
// stage e2e-alone: they measure a time, a rate or the resources of a server, or count operations on
// a shared server. In that stage, tests that call calm run four at a time, because they need little
// processor time. The others run before them, one after another.
//
// Keep tests cheap: use few clients and some hundred operations, and wait for events. A step of a
// fixed duration uses a whole processor unless each operation waits: put slowed in front of its
// server. Use withoutRace to read a script, and refused for errors before the first client: without
// the race detector they need a tenth of the time.
package e2e
