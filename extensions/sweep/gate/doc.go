// Package gate judges a run by a gate file: absolute bounds, and bounds relative to a baseline or a
// duet's base. It does not depend on k6.
package gate
