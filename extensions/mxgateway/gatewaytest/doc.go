// Package gatewaytest is a gateway in memory, for tests: it answers at once, does what a test says,
// and speaks any .proto that has the published names. What a gateway is like under load is what
// scripts/mxgateway shows.
package gatewaytest
