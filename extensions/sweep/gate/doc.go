// Package gate judges a run by a file of gates: bounds that hold by themselves, and bounds
// against a recorded run, the baseline. It knows nothing of k6.
package gate
