package gatewaytest

import (
	"fmt"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
)

type codec struct{}

// Name returns the name of gRPC's codec.
func (codec) Name() string { return "proto" }

// Marshal encodes a message of the gateway.
func (codec) Marshal(v any) (mem.BufferSlice, error) {
	raw, err := marshal(v)

	return mem.BufferSlice{mem.SliceBuffer(raw)}, err
}

// Unmarshal decodes a received message.
func (codec) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(proto.Message)
	if !ok {
		return fmt.Errorf("a message cannot be a %T", v)
	}

	return proto.Unmarshal(data.Materialize(), m)
}
