// Package crew lets the clients of a benchmark do the same work at the same time, and measures them
// and this process.
package crew
