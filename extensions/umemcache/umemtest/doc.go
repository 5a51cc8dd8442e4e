// Package umemtest is an in-memory umem-cache for tests, on a TCP port of ::1, where the real one
// listens as well. It does what the real one of each generation was seen to do, its silences and
// resets included: a miss comes with a size that is garbage, whoever sends a command before the
// answer to the one before it is never answered again, whoever lost a fill lock is reset.
//
// What it does not do: it evicts the oldest value, where the real ones prefer those that were not
// asked for; it counts memory roughly; and it always answers one who waited for a lock that two
// DELs have taken in the same moment, which the real one of G3 leaves without an answer for ever.
package umemtest
