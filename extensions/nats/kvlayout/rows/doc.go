// Package rows is the published benchmark of go-orb's and go-micro's key-value stores on NATS
// JetStream (github.com/go-orb/plugins, kvstore/natsjs_micro_tests): its 18 rows as data, and a
// loop body for each, over package kvlayout.
//
// Two of its claims do not compare like with like. OrbList lists one table of 1,000 keys and
// MicroList all 100,000 keys of the database; and MicroListPagination pages through 1,000 keys that
// were written 100 times each, as every key has a table of its own. Rows returns what was
// published, and LikeForLike the two rows that make the comparison fair.
//
// There, one goroutine with one connection used a server in the same process, with its streams in
// files and messages of up to 8 MiB; each row had a new server, and its bytes and allocations
// include the server's.
package rows
