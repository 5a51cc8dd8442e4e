// Package eventloop lets clients that do many operations share the processors fairly: the one whose
// answer came first goes first.
//
// # Why
//
// With a goroutine for each connection, Go lets a client go on for as long as its next answer is
// there when it looks. Beside a fast server one client then does hundreds of operations in a row,
// and the answers of hundreds of others wait in their sockets: the median is far too low, the 99th
// percentile far too high. What somebody means who asks for 512 clients is that of an event loop.
//
// # How
//
// There is one loop for each processor that Go may use. A loop waits for the sockets of its clients
// with epoll, which lists them in the order in which their answers came, and gives each of them one
// turn. In its turn a client reads once, decodes, records the operation and writes its next
// request. It never looks for the answer to that in the same turn.
//
// One loop beside a server on the same two cores has a better p99 with Redis, which has one thread
// (1.0 and 1.4 ms with 64 clients), and does 0.6 to 0.9 of the operations with memcached, Redis,
// NATS and Machbase where clients are many. With 512 clients of Redis one loop has half the p99,
// and does 0.8 to 0.97 of the operations. So clients are at half of the loops where they are few,
// and loops yield to a server of one thread: see Sharing of package runs, and [Seat].Yields.
//
// A client is a job: ordinary code that writes to a connection, and then reads it. It runs as a
// coroutine, package iter's, which its loop resumes, and which goes back to the loop where it would
// have to wait for its socket. The switch costs 0.1 us, and Go's scheduler takes no part in it. So
// a protocol has one form, whether its client is at a loop or on a goroutine of its own.
//
// A [Seat] is a client's place at a loop. While the job of a seat is under way, its connections are
// used at the seat: see [Conn.Use]. A nil Seat is that of a client on a goroutine of its own; all
// methods but Do work with it. What may take long and is no reading or writing of a Conn, such as
// connecting, has to be done in [Seat.Away]: all others at the loop would wait for it.
//
// # Requests that go out together
//
// What clients write in one round of a loop, up to 2 KiB each, goes out at its end by one call of
// the kernel's io_uring, 64 requests at most. Then the server wakes for many of them, and not for
// each, and the loop enters the kernel once. In C, beside a memcached on the same two cores, that
// takes off 25 % of a get's processor time with 64 clients and 27 % with 512 (5.2 and 4.9 us), at
// rates 13 and 10 % higher. To receive by the ring as well (multishot, into buffers of its own)
// takes off less than 3 % more, and costs k6 the kernel's times of answers; so sockets are read one
// by one. A client that is alone in its round writes by itself, and so do all where the kernel has
// no such ring or, as in most containers, nobody may use it.
//
// A request that was posted counts as sent from when it was: it is its client's time until it goes
// out, which is the rest of the round.
//
// # Waits for slow answers
//
// A loop that waits by Go's poller lets its processor go: the runtime looks for other work, a
// thread goes to sleep and is woken, and the poller's own epoll is asked before the loop's is: 3.6
// calls of epoll_pwait for a query of Machbase, and a futex for every sixth. So a loop waits in its
// own epoll where all clients that the test has at work are at loops, more than one is at this one,
// none sleeps, and waits are of 40 us and more. It does so for ten milliseconds at once, lets Go's
// scheduler have the processor after each millisecond, and its poller after each ten. Others of the
// process, such as k6's outputs, wait for 11 milliseconds at the longest for a processor, and 20
// for the network, and as long as that only where no answer comes. A collection of garbage waits
// for nothing: the signal with which the runtime stops a goroutine ends the wait.
//
// Beside a Machbase on the same two cores that takes off a tenth of the processor time of a query
// with 8 to 64 clients, with which k6 is beside a plain Go program. Where each loop went to the
// poller once in a millisecond, p99 with 8 clients was 1.2 ms and not 0.7: the one thread that
// waited for the sockets of both loops went on with one of them, and held its processor. Answers of
// memcached and Redis come within 10 us and those of NATS within 30, mostly while Go looks for
// other work, and to hold the processor added a tenth; in an open loop it added a third. To ask the
// kernel for up to 10 us before waiting took off nothing. Where a loop waited for a millisecond at
// once, so that the kernel set a timer for each wait, a query took 15.4 us with 8 clients and takes
// 13.3, and with 64 the same (in turns, sixteen rounds and twelve, on an Intel Xeon).
//
// Where a crowd waits for such a server, hundreds of answers are to come, and a loop that wakes for
// each has its own memory fetched anew each time. So it looks away until a sixteenth of its clients
// have their answers, a millisecond at the longest, where those are two at least. Their requests
// then go out together. Beside a Machbase on the same two cores, microseconds of k6's processor
// time for a query, queries a second, p99 and the mean wait of an answer in milliseconds, before
// and after (in turns, five rounds and six, on an Intel Xeon):
//
//	 64 clients   14.5   11.6   16,050   16,704    11.2     9.8   0.04   0.20
//	512 clients   18.5   16.1   13,949   14,333   261     123     4.4    0.7
//
// To look away for twice as long, or half as long, was the same within noise.
//
// A module has to ask for it, which those of Machbase, NATS and Redis do: where a part of k6 itself
// answers, as a service of NATS may, the loops would keep their processors from who is to answer
// them, and 8 clients had 6,352 answers a second, not 37,164. So k6/x/nats asks for it as long as
// nothing in the process has subscribed to a subject.
//
// Puts into a key-value store of NATS take 13, 20 and 9 % less of k6's processor time so, with 8,
// 64 and 512 clients, at rates 3, 6 and 7 % higher, and p99 is 3, 15 and 15 % lower; gets take 12
// and 7 % less with 64 and 512, and the same with 8. Beside Redis p99 was 0.84, 2.4, 15.7 and 16.3
// ms with 8, 64, 256 and 512 clients, and is 0.69, 1.8, 5.9 and 9.7, at the same processor time
// within 10 %, and at rates that were the same or higher, but with 256 clients 8 % lower. Its one
// thread answers the clients of one loop for a while. That loop then always has something to do,
// and never asks Go's poller, by which the other one waits; the runtime's own monitor does so each
// 10 ms. Loops that yield, as they do by now, end that. Beside memcached, which answers sooner, all
// was the same within noise (five rounds and seven, on an Intel Xeon).
//
// # Answers that come one by one
//
// memcached answers the pipelined commands of its text protocol one by one, with a call of the
// kernel's for each, which wakes who waits for it: for 50 gets a loop of k6 was woken 20 times, and
// k6 and the server took 5 us each for a value. So a client says how many answers are to come: see
// [Conn.Pending]. Where the server has sent those before one by one, and all clients of a loop wait
// for such answers, the loop looks away for an eighth of the time that they take, half a
// millisecond at the longest, and then gives a turn to each client that has some. The server wakes
// nobody meanwhile. Values a second, microseconds of k6's processor time for one, and p99 in
// milliseconds, before and after, beside a memcached on the same two cores:
//
//	  8 clients   191,000   319,000   4.8   1.4    12.9     2.4
//	 64 clients   202,000   320,000   4.6   1.4    67.6    18.4
//	512 clients   233,000   323,000   3.5   1.6   180.4   109.8
//
// An answer waits for its client longer, by half a nap on average, as the client wait says. With
// one client all takes 0.3 ms, which is too short for a nap.
//
// The kernel can also be told to say nothing before so many bytes are there (SO_RCVLOWAT). That
// took off half as much, and now and then a server stood still: what nobody reads is not
// acknowledged, and it may send no more than its congestion window before. Naps where each of
// hundreds of clients waits for one answer (a sixteenth to a sixty-fourth of their latency) brought
// nothing that shows beside memcached and NATS.
//
// # Clients on goroutines
//
// A client that is alone in its step has nobody to take turns with. On a goroutine, a query of
// Machbase takes 10 to 18 % less processor time of k6's than at a loop, a get of memcached 17 to
// 27 % less at a rate a sixth higher, one of Redis or NATS up to a tenth less: Go's poller alone
// wakes it.
//
// Where a call of a script is one operation, its client reads a Conn on a goroutine, and has its
// turn from Go's scheduler. One that has asked lets the others go before it looks for its answer,
// so that such clients take turns too, and have latencies that are true: with 512 of them at
// memcached p50 is 5 ms and p99 37 ms, where it was 0.03 ms and 100 ms. The price is that each
// finds its runtime of JavaScript outside of the processor's caches: 29 us of processor time for a
// get, and not 18.
//
// To wait for such clients in an epoll of ours, which keeps its processor as a loop does, took the
// calls of epoll_pwait for a query of Machbase from 1.5 to 1.0, those of futex from 0.3 to 0.02,
// and nothing off the processor time. To look for answers each millisecond only took off a tenth
// with 512 clients, and doubled the p99 of memcached's. That k6 gives way to the server takes off
// more: see package host. Nor did it take off anything, with 8, 64 and 512 clients of Machbase, to
// have the function of a script itself at a loop.
//
// Modules that are not ours, such as k6/x/redis, dial as k6's own do, and their connections see to
// turns likewise: see k6glue.TakeTurns. Where a connection has a goroutine that reads it, as those
// of HTTP, gRPC and NATS, an answer wakes that one, and clients have their turns in any case.
//
// # Clients that sleep
//
// In an open loop a client sleeps until its next operation is due: see [Seat.Sleep]. A loop has one
// timer of the kernel's for all of them. On goroutines, a get from memcached at 10,240 a second
// costs 72 us of processor time with 8 clients and 85 with 512, three quarters of it the kernel's:
// threads of Go's go to sleep and are woken, four times for each get. A loop wakes twice, for the
// time and for the answer. To wake is what costs most: clients that wake within 0.1 ms of each
// other do so together, and package runs has them at few loops. A get costs 25 and 38 us so.
//
// # The wait of an answer
//
// An answer that has come waits until its client has read it: for the clients before it, and for
// the process. That wait is in the latency of the operation, and is no time of the server's. It is
// measured of one answer in sixteen, with the kernel's own time of when the bytes came.
//
// # What a turn costs
//
// Of hundreds of clients in turn, each finds its memory outside of the processor's caches. With 512
// clients of memcached, three fifths of a turn are the kernel's, which finds the same of 512
// sockets. Of the rest much is waiting for memory. So a loop asks the processor for the memory of
// the next client before it gives one its turn: the stack of its job, and what the runtime notes of
// it. That takes 5 to 7 % off the processor time of an operation with 512 clients.
//
// What clients can share, such as the options of runs that are alike, is not fetched for each of
// them. Package net locks a socket for each read and write, and asks its poller's notes of it; a
// loop has a flag beside what else it needs of the connection, which took off 7 % beside memcached
// with 512 clients, and 3 to 4 % beside Machbase and NATS.
//
// Each object between a client and what it counts in is one more wait. With those left out that
// lead to the same, and what each operation needs side by side in the others, a get of 512 clients
// of Redis takes 0.92 of the processor time, with 1.11 times the operations a second and 0.85 of
// the p99 (medians of seven rounds in turns on two cores of an Intel Xeon); of 64 clients 0.99,
// 1.03 and 0.78, and of 512 of memcached 0.94, 1.01 and 1.00 (of four).
//
// Jobs in turns, each on one of a few stacks of the loop, so that a client that waits for an answer
// has none (a state machine of its protocol, and prefetching of what each turn touches), took off
// nothing that holds, on an Intel Xeon: 3 to 16 % in four comparisons of five with 64 clients of
// Machbase, 8 % less to 8 % more with 512, and nothing beside memcached. Nor did one memory for all
// answers of a loop.
//
// The heap in huge pages took off 2 %, less than runs differ. To fetch what the stack points to as
// well, some 30 places more, took off nothing, and 60 to 400 places cost a tenth to a third, on an
// Intel Xeon; it took off nothing either to take fewer sockets from the kernel at once (16 to 128),
// or to let fewer requests go out together (8 or 16).
//
// # Elsewhere
//
// Loops are for Linux. Elsewhere, and with the build tag portable, a job runs on the goroutine that
// called Do, and no wait is measured.
package eventloop
