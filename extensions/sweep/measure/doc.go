// Package measure records what the clients of a step do, starts and ends them together, and reads
// their figures at any time. It does not depend on k6. Recording an operation takes no lock and
// allocates nothing, and memory does not grow with the number of operations.
//
// A run has scenarios, a scenario has steps, and a step has a number of clients, a warm-up and a
// measured phase. Clients do operations. An operation has a name, a duration and an outcome.
package measure
