// Package standstill pauses a server process for tests.
package standstill
