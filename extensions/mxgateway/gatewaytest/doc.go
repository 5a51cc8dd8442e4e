// Package gatewaytest is an in-memory gateway for tests. It answers immediately, as the test says,
// with any .proto that has the published names. For a gateway under load see scripts/mxgateway.
package gatewaytest
