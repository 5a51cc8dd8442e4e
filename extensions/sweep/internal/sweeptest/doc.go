// Package sweeptest runs sweeps in tests, with VUs that run JavaScript as k6's do.
package sweeptest
