// Package generate makes rows of tag tables (name, time, value) as columns: uniform values, sines
// and sequences for any number of tags.
//
// Each tag has a row at [Options].From and at each Interval after it. Rows are ordered by time,
// then by tag. A value depends only on the options, its tag and its time. So equal options give
// equal rows, and two adjacent ranges give the rows of one. (A sequence counts from From, so its
// second range needs an Offset.)
//
// No compiler can fuse a multiplication with an addition in this code. So rows are the same on all
// processors, except for the last bit of math.Sin.
package generate
