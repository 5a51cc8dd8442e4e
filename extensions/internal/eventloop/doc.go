// Package eventloop shares the processors fairly among clients: the client whose answer arrived
// first runs first. Each of GOMAXPROCS loops takes ready sockets from epoll, in order of arrival,
// and resumes each client for one turn: read once, decode, record, write the next request. Without
// this, Go would let a client of a fast server run hundreds of operations in a row while other
// answers wait.
//
// A client is a job: ordinary code that writes to a [Conn] and reads it. Its [Seat] is its place at
// a loop; loops resume jobs as coroutines (package iter). With a nil Seat, a client runs on its own
// goroutine and yields after each request; all methods but Do then work too. Run blocking code,
// such as connecting, in [Seat.Away]. Each request is one write: batching would save processor time
// but let the server look better than it is.
//
// For one answer in 16, [Seat.Waited] gets the time from the kernel's receive timestamp to the
// read. Latencies include it. Loops need Linux; elsewhere, and with the build tag portable, Do runs
// the job on its caller's goroutine.
package eventloop
