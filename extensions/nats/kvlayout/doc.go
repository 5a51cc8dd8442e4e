// Package kvlayout keeps records in NATS JetStream key-value buckets as two published Go libraries
// do, so that they read what it writes and the other way round: go-orb (github.com/go-orb/plugins,
// kvstore/natsjs) and go-micro (github.com/micro/plugins, store/nats-js-kv, with its option
// EncodeKeys). go-orb has a mode that is compatible with go-micro, which makes three layouts:
//
//	             Orb                        OrbCompat                   Micro
//	bucket       db_table, or db without    db                          db
//	             a table
//	key          base32 of table_key, or    base32 of key               base32 of table_key, or
//	             of key without a table                                 of key without a table
//	value        the bytes                  {"key", "data", "metadata": {}}   the same, with the record's metadata or null
//	made         the bucket, by whatever    as Orb                      the bucket of the database by Open
//	             needs it first, reads too
//	deleted      purge                      purge                       delete marker
//	listed       one bucket; a page is cut  as Orb, but a table filters the bucket, filtered; then a page is
//	             out before the filter      nothing                     cut out
//	empty list   ErrEmpty                   ErrEmpty                    no keys, and no error
//
// Base32 is the standard one, in upper case and padded. Values of the last two are encoding/json's,
// as both libraries use it: its cost is most of what tells the layouts apart when values are large.
//
// What the libraries do that one might not expect, and this package repeats:
//   - In OrbCompat the tables of one database share their keys: key k of table a is key k of table
//     b, and is read, overwritten and deleted as such. Only records without a table are compatible
//     with Micro. This is a bug of go-orb.
//   - In Orb, table t of database d, and database d_t without a table, share a bucket, though not
//     their keys.
//   - A page is cut out on the client: each costs as much as the whole list.
//   - In Orb and OrbCompat a page can be shorter than its limit while more keys match.
package kvlayout
