// Package portable runs the steps of a sweep as scenarios of k6's own executors, for services that
// do not have ours.
package portable
