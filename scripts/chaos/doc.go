// Chaos runs k6 against real servers through a proxy that breaks the connection in every way it
// knows, and tells where k6 falls short.
//
// Its table has protocols and faults. A cell is one run of bin/k6 with the protocol's script
// (scripts/), whose operations check their answers, while one fault is applied: by the proxy, to
// the server, to the name service, to k6's limits, or to k6 itself. Of each cell is held: k6 ends
// in time with the exit code that is documented, without a panic or a data race; every operation is
// counted once, as done or as failed; what was acknowledged is on the server; no answer is another
// request's; the report validates; and no socket, process or goroutine of a client outlives its
// step.
//
//	make chaos
//	scripts/servers.sh with machbase nats -- bin/chaos -only machbase,nats -fault rst,eof
//
// A cell that makes no sense is marked with - and the reason. Everything is on loopback. Of Linux
// only; the faults dns-* and disk-full need root, as they mount a file of their own over
// /etc/resolv.conf and a small file system, seen by that k6 alone.
package main
