// Package hitrate is the published benchmark of hit rates of caches, exactly: the same keys, the
// same values and the same accesses as imchuncai/umem-cache-benchmark (commit 17218b3,
// BSD-3-Clause), and its figures. It is pure Go.
//
// # Generator
//
// One source, math/rand/v2's PCG(47, 47), is drawn from in this order:
//   - a pool of 2*Item bytes, each 33 + IntN(94),
//   - for each case, from 0: when Random, the size of key and value together, 12 + IntN(Item-12+1),
//     which else is Item; the size of the key, 12 + IntN(min(250, size)-12+1); where the key starts
//     in the pool, IntN(2*Item-keySize+1); where the value starts, IntN(2*Item-valueSize+1),
//   - for each access: IntN(100), which means a hot case when it is below Access, and then
//     IntN(hot) or IntN(cold).
//
// The key of case i is the base64 of i as 8 bytes, big-endian, which is 12 characters, and what
// follows the first 12 bytes of its stretch of the pool. The value is its stretch of the pool. The
// first cases are the hot ones.
//
// # Passes
//
// The warm-up draws the first Accesses accesses after the cases, and the timed pass the next as
// many: the second goes on where the first has stopped. That is what meets the published numbers of
// hot accesses. The original draws under a lock that its clients share; here both passes are drawn
// beforehand, and clients claim one access after the other. Whatever their number, a pass is the
// same accesses in the same order of claims.
//
// An access reads a case's key and, on a miss, writes its value.
package hitrate
