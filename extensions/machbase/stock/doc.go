// Package stock generates the rows of the published stock benchmark: the ticks
// of table stock_tick and the minutes of table stock_rollup_1m.
//
// It follows the walk of stockappendgo in machbase/neo-tester at commit b95bed6,
// with one difference that a benchmark needs: a row depends on the seed, the
// rate, the codes and its own time, and on nothing else. Two loads are
// therefore equal, and a later load continues an earlier one with the very rows
// that one long load would have written.
//
// # The walk
//
// Every 100 ms is a beat, which holds [Options].TPS/10 ticks; tick i of a beat
// carries the beat's time plus i nanoseconds. Each tick draws its code
// uniformly, moves that code's price by a normal shock and a drift, and pulls it
// 0.1 % back towards the code's anchor. When TPS/10 is not whole, beat b of the
// hour holds floor((b+1)*TPS/10) - floor(b*TPS/10) ticks: the fraction is carried
// from beat to beat, without chance, and starts at nought in each hour.
//
// # Blocks
//
// At each full UTC hour every price restarts from its anchor, with a generator
// seeded from (Options.Seed, hours since 1970). That is what makes any time
// reachable: a range that starts inside an hour generates the hour from its
// start and drops what lies before. A code's constants (anchor, volume,
// volatility, drift) come from the seed alone and are the same in all hours.
//
// # Reproducibility
//
// Arithmetic is written so that no compiler may fuse a multiplication with an
// addition: rows do not differ between processors. (The one exception is
// math/rand/v2's NormFloat64, which in about one draw of a hundred asks math.Exp
// or math.Log, and those may differ in their last bit.) The golden file under
// testdata guards the rest, a change of math/rand/v2 included.
//
// The package is pure Go, imports neither k6 nor a client, and reads no clock.
package stock
