// Package rows is the published benchmark of the key-value stores of go-orb and go-micro
// (github.com/go-orb/plugins, kvstore/natsjs_micro_tests): its 18 rows, and a loop for each.
//
// Two of the published comparisons are unfair. OrbList lists one table of 1,000 keys, but MicroList
// all 100,000 keys of the database. MicroListPagination pages through 1,000 keys that were written
// 100 times each. LikeForLike returns two fair rows.
//
// The authors used one goroutine and one connection, with a new server for each row in the same
// process, streams in files, and messages of up to 8 MiB. Their bytes and allocations include the
// server's.
package rows
