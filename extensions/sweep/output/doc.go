// Package output is k6's output sweep: it makes a sweep's report of any k6 script.
//
// A plan has the scenarios and their stages. The output assigns each of k6's samples to an
// operation of a step, and counts it in a measure.Series. At the end, after k6 has judged its
// thresholds, it makes the report, judges the gates and writes the files.
package output
