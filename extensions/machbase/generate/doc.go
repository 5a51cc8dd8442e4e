// Package generate makes the rows of tag tables (name, time, value), as columns, without allocating
// per row: uniform values, sines and sequences, for as many tags as are asked for.
//
// Every tag has a row at [Options].From and at each Interval after it. Rows come in the order of
// their times and, at one time, in the order of the tags. A value depends on the options, its tag
// and its time, and on nothing else: equal options give equal rows, and ranges that touch each
// other give the rows of one that covers both. (A sequence counts from From, so that there the
// second range begins with an Offset of its own.)
//
// Arithmetic is written so that no compiler may fuse a multiplication with an addition: rows do not
// differ between processors, but for the last bit that math.Sin may have.
//
// The package is pure Go, imports neither k6 nor a client, and reads no clock.
package generate
