// Package testutil starts, stops and pauses real and fake servers for tests, and has an in-memory
// Store and a recording Observer of workloads. It imports no k6.
package testutil
