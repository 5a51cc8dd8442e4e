package wire

import (
	"fmt"

	"google.golang.org/grpc/mem"
)

// request is an encoded message. Its bytes belong to gRPC until the call's reply is there.
type request struct{ bytes []byte }

// reply reads an encoded message. What it keeps of the bytes, it copies.
type reply interface{ read(bytes []byte) error }

// codec hands bytes over as they are. It implements encoding.CodecV2.
type codec struct{}

// Name is that of gRPC's own codec: what goes over the wire is the same.
func (codec) Name() string { return "proto" }

// Marshal returns a request's bytes.
func (codec) Marshal(v any) (mem.BufferSlice, error) {
	r, ok := v.(*request)
	if !ok {
		return nil, fmt.Errorf("a request cannot be a %T", v)
	}

	return mem.BufferSlice{mem.SliceBuffer(r.bytes)}, nil
}

// Unmarshal lets a reply read its bytes.
func (codec) Unmarshal(data mem.BufferSlice, v any) error {
	r, ok := v.(reply)
	if !ok {
		return fmt.Errorf("a reply cannot be a %T", v)
	}
	buffer := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer buffer.Free()

	return r.read(buffer.ReadOnlyData())
}
