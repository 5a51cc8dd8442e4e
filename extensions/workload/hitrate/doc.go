// Package hitrate reimplements a published hit-rate benchmark, imchuncai/umem-cache-benchmark
// (commit 17218b3, BSD-3-Clause), with the same keys, values, accesses and figures.
//
// All draws come from one math/rand/v2 PCG(47, 47), in this order:
//   - a pool of 2*Item bytes, each 33 + IntN(94),
//   - for each case: if Random, the size of key and value, 12 + IntN(Item-12+1), otherwise Item;
//     the size of the key, 12 + IntN(min(250, size)-12+1); the start of the key in the pool,
//     IntN(2*Item-keySize+1); the start of the value, IntN(2*Item-valueSize+1),
//   - for each access: IntN(100), hot if below Access; then IntN(hot) or IntN(cold).
//
// The key of case i is the base64 of i as 8 big-endian bytes (12 characters), then its bytes of the
// pool after the first 12. The timed pass continues the draws of the warm-up. Clients claim
// accesses one after another, so the order of a pass does not depend on their number. An access
// reads a key and, on a miss, writes its value.
package hitrate
