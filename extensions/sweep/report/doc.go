// Package report holds what a run of a scenario came to, as the files of a run show it: the JSON
// that is kept and compared, and the tables that people read. It knows nothing of k6.
package report
