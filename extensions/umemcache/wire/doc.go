// Package wire is a client of umem-cache, a memory cache whose single way of writing is a GET that
// misses: the connection that missed holds the key's fill lock, everybody else who asks for the key
// waits, and the value that the owner sends goes to all of them.
//
// A Pool is the set of connections to one server (a Cluster: to the members of a cluster) that a
// whole process shares; a Client is one user of it, who does one operation at a time. Each
// connection belongs to one thread of the server, which its handshake names; a key's thread follows
// from its hash.
//
// The protocol has no version and no negotiation, and has changed twice without notice: see
// Generation. Sources: README.rst and conn.h of github.com/imchuncai/umem-cache at
// 9ba02d4986a82623d389e70b4c6a098db488750d (G3) and 53f97eb219364fb18e15431e069b2ceef877b5d9 (G1),
// github.com/imchuncai/umem-cache-client-Go at dcf5ff338966610eeb7f58fe331e0bb94452d490 (G3) and
// f7b9979e962f693ba9541bb679d81346a41deba2 (G1), and what servers built from these commits were
// seen to do.
//
// One thing a client can do nothing about: a server of G3 (9ba02d4) that takes a key's fill lock
// from an owner by a DEL, and by another DEL in the same moment from the one who had waited and was
// to have it next, never answers that one again. Its operation ends with its timeout, and kind
// lock_wait.
//
// What the package never does, because a server takes it amiss: send a command before the answer to
// the one before it (the server never answers then), send a value's size that cannot be (the
// server's sums overflow), trust the size that comes with a miss (it is uninitialised memory).
package wire
