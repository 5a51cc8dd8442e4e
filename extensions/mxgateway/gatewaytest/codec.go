package gatewaytest

import (
	"fmt"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
)

// codec sends messages, and bytes as they are.
type codec struct{}

// Name is that of gRPC's own.
func (codec) Name() string { return "proto" }

// Marshal encodes what the gateway sends.
func (codec) Marshal(v any) (mem.BufferSlice, error) {
	raw, err := marshal(v)

	return mem.BufferSlice{mem.SliceBuffer(raw)}, err
}

// Unmarshal decodes what came.
func (codec) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(proto.Message)
	if !ok {
		return fmt.Errorf("a message cannot be a %T", v)
	}

	return proto.Unmarshal(data.Materialize(), m)
}
