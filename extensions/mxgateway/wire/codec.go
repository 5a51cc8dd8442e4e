package wire

import (
	"fmt"

	"google.golang.org/grpc/mem"
)

// request is an encoded message. gRPC owns its bytes until the reply has arrived.
type request struct{ bytes []byte }

// reply decodes a message. It must copy the bytes that it keeps.
type reply interface{ read(bytes []byte) error }

// codec passes bytes unchanged.
type codec struct{}

// Name returns the name of gRPC's own codec, whose encoding is the same.
func (codec) Name() string { return "proto" }

// Marshal returns a request's bytes.
func (codec) Marshal(v any) (mem.BufferSlice, error) {
	r, ok := v.(*request)
	if !ok {
		return nil, fmt.Errorf("a request cannot be a %T", v)
	}

	return mem.BufferSlice{mem.SliceBuffer(r.bytes)}, nil
}

// Unmarshal calls a reply's read with the bytes.
func (codec) Unmarshal(data mem.BufferSlice, v any) error {
	r, ok := v.(reply)
	if !ok {
		return fmt.Errorf("a reply cannot be a %T", v)
	}
	buffer := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer buffer.Free()

	return r.read(buffer.ReadOnlyData())
}
