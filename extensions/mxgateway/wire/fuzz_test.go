package wire

import (
	"context"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/stretchr/testify/require"
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
		counted, kept := &countReply{schema: schema}, &valueReply{schema: schema}
		countErr, keepErr := counted.read(raw), kept.read(raw)
		reference := dynamicpb.NewMessage(descriptor)
		if proto.Unmarshal(raw, reference) != nil || countErr != nil {
			return
		}
		var want Counts
		results := reference.Get(list).List()
		for i := range results.Len() {
			r := results.Get(i).Message()
			fields := r.Descriptor().Fields()
			want.add(r.Get(fields.ByName("was_successful")).Bool(), r.Get(fields.ByName("was_cached")).Bool())
		}
		require.Equal(t, want, counted.counts)
		if keepErr != nil {
			return
		}
		var got Counts
		for i := range kept.results {
			r := results.Get(i).Message()
			require.Equal(t, r.Get(r.Descriptor().Fields().ByName("tag_address")).String(), kept.results[i].Tag)
			got.Add(&kept.results[i])
		}
		require.Equal(t, want, got)
	})
}

func FuzzReplies(f *testing.F) {
	service, schema := fuzzed(f)
	f.Add([]byte{})
	f.Add([]byte{0x0a, 0x02, 'i', 'd', 0x12, 0x01, 'b', 0x18, 0x01, 0x2a, 0x04, 0x08, 0x01, 0x12, 0x00})
	f.Add([]byte{0x22, 0x02, 0x08, 0x02, 0x28, 0x85, 0x80, 0x82, 0x80, 0x08, 0x52, 0x02, 0x08, 0x07})
	f.Add([]byte{0x5a, 0x06, 0x0a, 0x04, 0x18, 0x07, 0x20, 0x01})
	f.Fuzz(func(t *testing.T, raw []byte) {
		opened := &openReply{schema: schema}
		if err := opened.read(raw); err == nil {
			reference := dynamicpb.NewMessage(messageOf(service, "OpenSessionReply"))
			if proto.Unmarshal(raw, reference) == nil {
				require.Equal(t, reference.Get(reference.Descriptor().Fields().ByName("session_id")).String(), opened.opened.SessionID)
			}
		}
		_ = (&closeReply{schema: schema}).read(raw)
		items := &subscribeReply{schema: schema}
		_ = (&commandReply{schema: schema, at: schema.subscription.payload.at, payload: items}).read(raw)
		reply := &commandReply{schema: schema, at: schema.register.reply, payload: &registerReply{schema: schema}}
		if err := reply.read(raw); err == nil {
			reference := dynamicpb.NewMessage(messageOf(service, "MxCommandReply"))
			if proto.Unmarshal(raw, reference) == nil {
				require.EqualValues(t, reference.Get(reference.Descriptor().Fields().ByName("hresult")).Int(), reply.status.hresult)
			}
		}
		_ = reply.err("", "register")
	})
}
