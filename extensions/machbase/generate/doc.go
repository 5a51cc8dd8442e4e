// Package generate makes rows of tables as columns.
//
// [Sine] and [Sequence] make rows of tag tables (name, time, value) for any number of tags. A value
// depends only on the options, its tag and its time. So equal options give equal rows, and two
// adjacent ranges give the rows of one. (A sequence counts from From, so its second range needs an
// Offset.)
//
// [Stock] makes the rows of the published stock benchmark: the ticks of table stock_tick, and their
// roll-ups, such as table stock_rollup_1m. It follows stockappendgo in machbase/neo-tester at
// commit b95bed6, with one difference: a row depends only on the seed, the rate and its time. So
// loads are repeatable, and a later load continues an earlier one exactly.
//
// # The walk of stock prices
//
// Each 100 ms is a beat of tps/10 ticks; tick i has the beat's time plus i nanoseconds. A tick
// draws its code uniformly, moves the code's price by a normal shock and a drift, and pulls it
// 0.1 % back towards the code's anchor.
//
// At each full UTC hour every price restarts from its anchor, with a generator seeded from (seed,
// hours since 1970). So a range within an hour only needs the ticks since the start of that hour.
//
// # Reproducibility
//
// No compiler can fuse a multiplication with an addition in this code, so rows are the same on all
// processors. The exceptions are math.Sin, and math/rand/v2's NormFloat64, which calls math.Exp or
// math.Log in about 1 % of the draws; their last bit may differ.
package generate
