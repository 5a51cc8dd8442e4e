// Package output is k6's output sweep: it makes a sweep's report of any k6 script.
//
// A plan has the scenarios and their stages. The output finds which operation of which step each of
// k6's samples is of, and counts it in a series of package measure. When k6 has judged its
// thresholds, it makes the report, judges the gates and writes the files.
package output
