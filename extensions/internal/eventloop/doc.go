// Package eventloop lets clients that do many operations share the processors fairly: the client
// whose answer came first goes first.
//
// There is one loop for each processor that Go may use. A loop waits for the sockets of its clients
// with epoll, which lists them in the order in which their answers came, and gives each of them one
// turn. In its turn a client reads once, decodes, records the operation and writes its next
// request. It does not look for the answer to that in the same turn. The loop behaves the same for
// every server: it never delays a client, and never skips a turn.
//
// A client is a job: ordinary code that writes to a [Conn] and then reads it. Its [Seat] is its
// place at a loop. A nil Seat belongs to a client on a goroutine of its own; all methods but Do
// work with it. Anything that may take long and does not use a Conn, such as connecting, has to be
// done in [Seat.Away], or all others at the loop would wait for it.
//
// Three decisions:
//
//   - Fair turns. With a goroutine for each connection, Go lets a client go on as long as its next
//     answer is there when it looks. With a fast server one client then does hundreds of operations
//     in a row while the answers of others wait in their sockets: the median is far too low and the
//     99th percentile far too high. A client on a goroutine that has sent a request lets the others
//     go before it looks for the answer, for the same reason.
//   - Coroutines. A loop resumes its jobs by package iter, and Go's scheduler takes no part in it.
//     So a protocol is written once, for clients at loops and on goroutines.
//   - Each request is one write, made in the client's turn. To send the requests of a round together
//     would cost the loop less, and the server as well: it would wake once for many of them, and
//     look better than it is where clients send one by one.
//
// In an open loop clients sleep until their next operation is due: see [Seat.Sleep]. Of one answer
// in 16 the package measures how long it waited to be read, from the kernel's own time of arrival:
// the client wait. It is part of the latency, and never subtracted.
//
// Loops are for Linux. Elsewhere, and with the build tag portable, a job runs on the goroutine that
// called Do, and no wait is measured.
package eventloop
