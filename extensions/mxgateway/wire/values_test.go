package wire

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

const ownProtoPath = "../../../scenarios/lib/mxaccess_gateway.proto"

func withTimestamp(tb testing.TB, fields string) protoreflect.ServiceDescriptor {
	tb.Helper()
	own, err := os.ReadFile(ownProtoPath)
	require.NoError(tb, err)
	sources := map[string]string{
		"gateway.proto":                   string(own),
		"google/protobuf/timestamp.proto": `syntax = "proto3"; package google.protobuf; message Timestamp {` + fields + `}`,
	}
	compiler := protocompile.Compiler{Resolver: &protocompile.SourceResolver{Accessor: func(path string) (io.ReadCloser, error) {
		source, ok := sources[path]
		if !ok {
			return nil, os.ErrNotExist
		}

		return io.NopCloser(strings.NewReader(source)), nil
	}}}
	files, err := compiler.Compile(context.Background(), "gateway.proto")
	require.NoError(tb, err)

	return files[0].Services().Get(0)
}

func readTimestamp(tb testing.TB, service protoreflect.ServiceDescriptor, time []byte) any {
	tb.Helper()
	schema, err := NewSchema(service)
	require.NoError(tb, err)
	field := schema.results.Message().Fields().ByName("source_timestamp").Number()
	result := protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), time)
	payload := messageReply{dynamicpb.NewMessage(schema.results.ContainingMessage())}
	require.NoError(tb, payload.read(protowire.AppendBytes(protowire.AppendTag(nil, schema.results.Number(), protowire.BytesType), result)))
	results := schema.resultsOf(payload.Message)
	require.Len(tb, results, 1)

	return results[0].Timestamp
}

func TestOtherTimestampMessages(t *testing.T) {
	scalars := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 90)
	scalars = protowire.AppendVarint(protowire.AppendTag(scalars, 2, protowire.VarintType), 5)
	text := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "now")
	for fields, tt := range map[string]struct {
		bytes []byte
		want  any
	}{
		"int64 seconds = 1; int32 nanos = 2;":            {scalars, "1970-01-01T00:01:30.000000005Z"},
		"":                                               {scalars, map[string]any{}},
		"int64 seconds = 1;":                             {scalars, map[string]any{"seconds": int64(90)}},
		"int32 nanos = 2;":                               {scalars, map[string]any{"nanos": int64(5)}},
		"string seconds = 1; int32 nanos = 2;":           {text, map[string]any{"seconds": "now"}},
		"uint64 seconds = 1; uint32 nanos = 2;":          {scalars, map[string]any{"seconds": uint64(90), "nanos": int64(5)}},
		"repeated int64 seconds = 1; int32 nanos = 2;":   {scalars, map[string]any{"seconds": []any{int64(90)}, "nanos": int64(5)}},
		"int64 seconds = 1; map<int32, bool> nanos = 3;": {scalars, map[string]any{"seconds": int64(90)}},
		"oneof one { string text = 1; bool none = 2; }":  {text, "now"},
	} {
		t.Run(fields, func(t *testing.T) {
			require.Equal(t, tt.want, readTimestamp(t, withTimestamp(t, fields), tt.bytes))
		})
	}
}

func FuzzReflection(f *testing.F) {
	for _, fields := range []string{"int64 seconds = 1; int32 nanos = 2;", "string seconds = 1;", "oneof one { string text = 1; }"} {
		file := withTimestamp(f, fields).ParentFile()
		imported, err := proto.Marshal(protodesc.ToFileDescriptorProto(file.Imports().Get(0).FileDescriptor))
		require.NoError(f, err)
		own, err := proto.Marshal(protodesc.ToFileDescriptorProto(file))
		require.NoError(f, err)
		result := []byte{0x0a, 0x04, 0x0a, 0x00, 0x12, 0x00}
		f.Add(own, imported, result)
	}
	f.Fuzz(func(_ *testing.T, own, imported, reply []byte) {
		set := &descriptorpb.FileDescriptorSet{}
		for _, raw := range [][]byte{own, imported} {
			file := &descriptorpb.FileDescriptorProto{}
			if proto.Unmarshal(raw, file) != nil {
				return
			}
			set.File = append(set.File, file)
		}
		files, err := protodesc.NewFiles(set)
		if err != nil {
			return
		}
		files.RangeFiles(func(file protoreflect.FileDescriptor) bool {
			for i := range file.Services().Len() {
				schema, err := NewSchema(file.Services().Get(i))
				if err != nil {
					continue
				}
				_ = (&countReply{schema: schema}).read(reply)
				for _, m := range []method{schema.open, schema.close, schema.invoke} {
					if m := (messageReply{dynamicpb.NewMessage(m.out)}); m.read(reply) == nil {
						text(m, "session_id")
					}
				}
				if m := (messageReply{dynamicpb.NewMessage(schema.results.ContainingMessage())}); m.read(reply) == nil {
					schema.resultsOf(m.Message)
				}
			}

			return true
		})
	})
}
