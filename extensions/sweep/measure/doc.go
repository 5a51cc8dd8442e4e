// Package measure is the measuring core of the sweep: what a client records of its operations, how
// the clients of a step start together and end, and what can be read from them, while they run and
// afterwards.
//
// The words: a run holds scenarios, a scenario steps, a step a number of clients (with a warm-up
// and a measured phase), a client operations; an operation has a kind (its name), an outcome
// (successful or failed) and a duration.
//
// It knows nothing of k6, takes no lock and allocates nothing on an operation's path, and its
// memory does not grow with the number of operations.
package measure
