// Package runs implements client.run: many operations in one JavaScript call. It handles the
// current step of a sweep, fair turns among clients, and the end of the test. Modules add the
// operations.
package runs
