// Package portable runs the steps of a sweep as scenarios of k6's own executors, for places that
// know only those.
package portable
