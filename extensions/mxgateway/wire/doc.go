// Package wire is a client of an MXAccess gateway. It reads tags in bulk with the unary calls
// OpenSession, Invoke and CloseSession of the gRPC service MxAccessGateway.
//
// It has no generated messages. It looks up the published names in the user's .proto file or by
// server reflection, and then encodes and decodes messages itself, so a call costs little more than
// gRPC.
package wire
