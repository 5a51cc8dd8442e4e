// Package sweeptest runs sweeps in tests, with VUs that run JavaScript like k6's.
package sweeptest
