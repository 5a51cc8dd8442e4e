// Package e2e tests the binary as its users run it: scripts through a real k6 against real servers.
package e2e
