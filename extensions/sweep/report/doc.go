// Package report has the results of a run as data, and renders them: JSON to keep and compare,
// tables and a page to read. It does not depend on k6.
package report
