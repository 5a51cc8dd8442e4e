// Package search finds the highest number of clients, or the highest rate, at which latencies meet
// a bound. It has the options, and chooses the next number to try.
package search
