// Package wire is a client of an MXAccess gateway: one that reads tags in bulk, through the unary
// calls OpenSession, Invoke and CloseSession of the gRPC service MxAccessGateway. It has no
// generated messages. Where a gateway's messages keep what is needed is looked up by the published
// names, in the user's own .proto file or in what the server says of itself (reflection), and
// requests and replies are then written and read as plain bytes: a call costs little more than gRPC
// itself.
package wire
