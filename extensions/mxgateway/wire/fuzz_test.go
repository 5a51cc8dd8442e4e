package wire

import (
	"context"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

func fuzzed(f *testing.F) (protoreflect.ServiceDescriptor, *Schema) {
	f.Helper()
	compiler := protocompile.Compiler{Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
		ImportPaths: []string{"../../../scenarios/lib"},
	})}
	files, err := compiler.Compile(context.Background(), "mxaccess_gateway.proto")
	require.NoError(f, err)
	service := files[0].Services().Get(0)
	schema, err := NewSchema(service)
	require.NoError(f, err)

	return service, schema
}

func messageOf(service protoreflect.ServiceDescriptor, name protoreflect.Name) protoreflect.MessageDescriptor {
	return service.ParentFile().Messages().ByName(name)
}

func FuzzBulkRead(f *testing.F) {
	service, schema := fuzzed(f)
	descriptor := messageOf(service, "BulkReadReply")
	m := dynamicpb.NewMessage(descriptor)
	list := descriptor.Fields().ByName("results")
	for i := range 3 {
		result := m.Mutable(list).List().AppendMutable().Message()
		fields := result.Descriptor().Fields()
		result.Set(fields.ByName("tag_address"), protoreflect.ValueOfString("TestMachine_001.TestChangingInt"))
		result.Set(fields.ByName("was_successful"), protoreflect.ValueOfBool(i > 0))
		result.Set(fields.ByName("was_cached"), protoreflect.ValueOfBool(i > 1))
		value := result.Mutable(fields.ByName("value")).Message()
		value.Set(value.Descriptor().Fields().ByName("double_value"), protoreflect.ValueOfFloat64(1.5))
		at := result.Mutable(fields.ByName("source_timestamp")).Message()
		at.Set(at.Descriptor().Fields().ByName("seconds"), protoreflect.ValueOfInt64(1<<40))
	}
	raw, err := proto.Marshal(m)
	require.NoError(f, err)
	f.Add(raw)
	f.Add(raw[:len(raw)-3])
	f.Add([]byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Add([]byte{0x0a, 0x02, 0x20, 0x01, 0x0b, 0x0c})
	f.Fuzz(func(t *testing.T, raw []byte) {
		payload := schema.invoke.out.Fields().ByName("bulk_read")
		whole := protowire.AppendBytes(protowire.AppendTag(nil, payload.Number(), protowire.BytesType), raw)
		counted := &countReply{schema: schema}
		reference := dynamicpb.NewMessage(descriptor)
		if counted.read(whole) != nil || (messageReply{reference}).read(raw) != nil {
			return
		}
		var want, got Counts
		for i := range reference.Get(list).List().Len() {
			r := reference.Get(list).List().Get(i).Message()
			want.add(flag(r, "was_successful"), flag(r, "was_cached"))
		}
		require.Equal(t, want, counted.counts)
		for _, result := range schema.resultsOf(reference) {
			got.Add(&result)
		}
		require.Equal(t, want, got)
	})
}

// A reply that counts as a success is one, and the reverse.
func FuzzReplies(f *testing.F) {
	_, schema := fuzzed(f)
	f.Add([]byte{})
	f.Add([]byte{0x22, 0x02, 0x08, 0x02, 0x28, 0x85, 0x80, 0x82, 0x80, 0x08, 0x52, 0x02, 0x08, 0x07})
	f.Add([]byte{0x5a, 0x06, 0x0a, 0x04, 0x18, 0x07, 0x20, 0x01})
	f.Fuzz(func(t *testing.T, raw []byte) {
		counted, reference := &countReply{schema: schema}, dynamicpb.NewMessage(schema.invoke.out)
		if counted.read(raw) != nil || (messageReply{reference}).read(raw) != nil {
			return
		}
		want := schema.failure(schema.invoke, reference, "")
		require.False(t, want != nil && counted.failed == nil, "%v", want)
		for _, one := range []protoreflect.FieldDescriptor{schema.items, schema.results} {
			payload := dynamicpb.NewMessage(one.ContainingMessage())
			if (messageReply{payload}).read(raw) != nil {
				continue
			}
			if one == schema.items {
				schema.itemsOf(payload)
			} else {
				schema.resultsOf(payload)
			}
		}
	})
}
