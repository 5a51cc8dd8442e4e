// Package witness judges what limited a step: evidence in, a word and a reason out. Package host
// collects the evidence, and reports contain it, so that [Judge] gives the same word again. Judge
// applies these rules in order:
//
//   - short: less than 0.25 s, or fewer than ten operations.
//   - files, ports: operations failed because k6 had none left.
//   - server: it refused operations because of too many connections.
//   - server: it stalled for over a tenth of the step; k6, if it woke late by half of the
//     longest stall.
//   - k6: it started over 1 % of an open loop's operations late although a client was free.
//   - neighbour: the hypervisor stole 5 % of the busy time and 2 % in all; the control group was
//     throttled in 10 % of its periods; or others used a twelfth of the full machine, while threads
//     of k6 and the server waited for a tenth of their running time.
//   - network: k6 resent 1 % of its segments, or waited for buffer space in a fifth of the sending
//     time.
//   - unsteady: see [Drift].
//   - k6: operations took less than four fifths of the clients' time, because the script did
//     other work. By Little's law (John D. C. Little, A Proof for the Queuing Formula L = λW,
//     Operations Research 9, 1961), the rate of operations times their mean duration is the number
//     of concurrent ones.
//   - rate: an open loop started 99 % of its operations within 10 ms, or a tenth of the median
//     latency.
//   - k6, host, server: the machine was full, named after its main user; k6 used or waited for
//     all processors it may use; k6's own work filled a client's time; or a server's thread was
//     never idle.
//   - clients: nothing was full.
//
// For a remote server, Judge compares with the previous step: if operations grew with the clients,
// the word is clients; if they did not grow, server; otherwise unknown. Without Linux, most
// evidence is unknown.
package witness
