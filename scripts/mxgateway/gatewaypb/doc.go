// Package gatewaypb is what protoc makes of scenarios/lib/mxaccess_gateway.proto: the messages of
// an MXAccess gateway, its client and its server.
package gatewaypb

//go:generate ./generate.sh
