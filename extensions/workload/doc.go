// Package workload makes the keys and values that benchmarks of caches use, and does mixes of
// operations on them: what every module of a cache shares. It is pure Go and knows neither k6 nor a
// protocol.
//
// # Keys and values
//
// Key i of a workload is always the same text, and its value always has the same size and the same
// bytes: both follow from the options alone, the value's from the seed and i. Whatever client wrote
// a value, every other one can tell whether what it reads is that value (see [Values]).
//
// # Clients
//
// A [Workload] is immutable and shared by all clients. Client c of n has a random stream of its
// own, which follows from the seed and c: the same operations on the same keys, in every run,
// however fast the others are, and however many there are. The distribution sequential has no
// chance in it: of its keys, client c goes through those from c*count/n up to (c+1)*count/n, and
// then again, so that no key is done twice by one round of all clients. Prefilling shares the keys
// in the same way.
//
// The streams come from math/rand/v2's PCG, which never changes. Zipf and gaussian draws use
// math.Exp, math.Log and the like, which may differ in their last bit between processors.
//
// # Operations
//
// [Client.Run] times each operation by itself, without the making of its key and value, and tells
// an [Observer]. Values are verified after that; those of several keys at once while they come,
// within the operation's time. Operations that fail are told and counted as failed, and never as
// anything else.
package workload
