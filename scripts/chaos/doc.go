// Chaos runs k6 against real servers through a proxy that breaks connections in many ways, and
// reports what k6 does wrong.
//
// Its table has protocols and faults. A cell is one run of bin/k6 with the protocol's script
// (scripts/), whose operations check their answers, and one fault in the proxy, the server, DNS,
// k6's limits or k6 itself. It checks that k6 ends in time with the documented exit code, without a
// panic or a data race; counts every operation once, as done or failed; mixes up no answers; writes
// a valid report; leaves no socket, process or goroutine after a step; and that the server has all
// acknowledged data.
//
//	make chaos
//	scripts/servers.sh with machbase nats -- bin/chaos -only machbase,nats -fault rst,eof
//
// A combination that makes no sense is marked with - and the reason. Everything is on loopback.
// Linux only; the faults dns-* and disk-full need root, because they mount a file over
// /etc/resolv.conf and a small file system for that k6.
package main
