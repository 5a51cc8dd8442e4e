// Package kvlayout stores records in NATS key-value buckets in the layouts of two Go libraries:
// go-orb (github.com/go-orb/plugins, kvstore/natsjs) and go-micro (github.com/micro/plugins,
// store/nats-js-kv, with its option EncodeKeys). The libraries can read what a [Store] writes, and
// the reverse. See [Layout].
package kvlayout
