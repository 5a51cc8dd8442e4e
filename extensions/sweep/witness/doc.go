// Package witness says in one word what limited a step, and why: evidence in, word out. It reads
// nothing itself, and knows nothing of k6: the readers of the kernel and of Go's runtime are in
// package host, and what a report keeps is in package report. The evidence in a report is all that
// the word was made of: [Judge] makes the same word of it again.
//
// # In which order it judges
//
// What makes the figures of a step worthless comes first, then who was full:
//
//   - short: less than a quarter of a second, or fewer than ten operations.
//   - files, ports: operations failed because k6 had no more of them.
//   - server, when it refused operations since it has as many connections as it takes.
//   - server, when it stood still: for more than a tenth of the step no operation ended where some
//     would have. It is client instead where k6 woke late by half of the longest such time.
//   - client, when k6 was late: it started more than a hundredth of an open loop's operations late
//     that a client was free for.
//   - neighbour: the hypervisor stole at least a twentieth of the time that the machine was busy, and
//     a fiftieth of all (what it steals of a machine that is nearly idle delays one wake-up or two),
//     the control group was throttled in at least a tenth of its periods, or others than k6 and the
//     server used a twelfth of the machine while it was full, and threads of these two were ready to
//     run and waited, for a tenth of the time that they ran.
//   - network: k6's sockets sent at least a hundredth of their segments again, or waited for room in
//     the buffer for a fifth of the time in which they had something to send.
//   - unsteady: see [Drift].
//   - client, when the law of Little is broken: the clients had an operation under way for less than
//     four fifths of their time, since the script did something else. John D. C. Little, A Proof for
//     the Queuing Formula L = λW, Operations Research 9, 1961: operations a second times their mean
//     duration is how many are under way.
//   - rate: an open loop started 99 % of what was due within 10 ms, or a tenth of the median latency.
//   - client, host, server: a full machine by whose time that was; the processors that k6 may use
//     (GOMAXPROCS, a quota), used or, where they are not all of the machine, waited for; a client
//     whose operations are k6's own processor time; a thread of the server that was never idle.
//   - clients: nothing was full.
//
// Of a server elsewhere, this machine knows nothing but what more clients got out of it: as many
// times the operations, then it was not full (clients), or no more of them, then it was (server).
// What lies between is unknown, as is all that a system does not tell. Only Linux tells.
package witness
