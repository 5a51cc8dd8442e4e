// Package search finds the highest number of clients, or the highest rate, at which latencies keep
// a bound: its options, and which number is to be tried next.
package search
