// Package umemtest is an in-memory umem-cache for tests on a TCP port of ::1. It imitates the real
// server of each generation, including its faults: a miss has a garbage size, a client that sends a
// command before the last answer never gets another one, and a client that lost a fill lock is
// reset.
//
// Differences: it evicts the oldest value, not the least used; it counts memory roughly; and it
// always answers a client that waited for a lock which two DELs have taken at the same moment,
// where the real G3 does not.
package umemtest
