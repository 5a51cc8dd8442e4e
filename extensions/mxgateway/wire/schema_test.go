package wire_test

import (
	"context"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/wire"
)

func loadText(text, service string) (*wire.Schema, error) {
	open := func(path string) (io.ReadCloser, error) {
		if path != "gateway.proto" {
			return nil, &missing{path}
		}

		return io.NopCloser(strings.NewReader(text)), nil
	}

	return wire.Load(context.Background(), "gateway.proto", nil, service, open)
}

type missing struct{ path string }

func (m *missing) Error() string { return m.path + " is not there" }

func TestServices(t *testing.T) {
	require.Equal(t, "mxaccess_gateway.v1.MxAccessGateway", load(t, ownProto).Service())
	require.Equal(t, "vendor.gateway.v2.MxAccessGateway", load(t, vendorProto).Service())
}

func TestIncompleteProtos(t *testing.T) {
	own := text(t, ownProto)
	for _, tt := range []struct{ old, new, says string }{
		{`string client_session_name = 1`, `string session_name = 1`,
			"gateway.proto: the message mxaccess_gateway.v1.OpenSessionRequest has no field client_session_name"},
		{`(?s)(OpenSessionReply \{\s*)string session_id = 1`, `${1}int32 session_id = 1`,
			"gateway.proto: the field mxaccess_gateway.v1.OpenSessionReply.session_id must be a string"},
		{`rpc Invoke\(MxCommandRequest\) returns \(`, `rpc Invoke(MxCommandRequest) returns (stream `,
			"gateway.proto: the service mxaccess_gateway.v1.MxAccessGateway has no unary method Invoke"},
		{`rpc CloseSession`, `rpc EndSession`, "gateway.proto: the service mxaccess_gateway.v1.MxAccessGateway has no unary method CloseSession"},
		{`ReadBulkCommand read_bulk = 13`, `ReadBulkCommand readbulk = 13`,
			"gateway.proto: the message mxaccess_gateway.v1.MxCommand has no field read_bulk"},
		{`MX_COMMAND_KIND_READ_BULK`, `MX_COMMAND_KIND_READ`,
			"gateway.proto: the enum mxaccess_gateway.v1.MxCommandKind has no value that ends with READ_BULK"},
		{`MxCommandKind kind = 1`, `string kind = 1`, "gateway.proto: the field mxaccess_gateway.v1.MxCommand.kind must be an enum"},
		{`bool was_cached = 5`, `int32 was_cached = 5`, "gateway.proto: the field mxaccess_gateway.v1.BulkReadResult.was_cached must be a bool"},
		{`repeated BulkReadResult results = 1`, `BulkReadResult results = 1`,
			"gateway.proto: the message mxaccess_gateway.v1.BulkReadReply has no repeated message with the results"},
		{`repeated BulkReadResult results = 1;`, `repeated BulkReadResult results = 1; repeated BulkReadResult more = 2;`,
			"gateway.proto: the message mxaccess_gateway.v1.BulkReadReply must have one repeated message, the results, but has results and more"},
		{`repeated int32 item_handles = 2`, `repeated string item_handles = 2`,
			"gateway.proto: the field mxaccess_gateway.v1.UnsubscribeBulkCommand.item_handles must be a repeated integer"},
		{`service MxAccessGateway`, `service Gateway`,
			"gateway.proto: there is no service MxAccessGateway in it, but mxaccess_gateway.v1.Gateway"},
		{`message ReadBulkCommand`, `message ReadBulkCommand ReadBulk`,
			`gateway.proto cannot be read: gateway.proto:95:25: syntax error: unexpected identifier, expecting '{'`},
		{`import "google/protobuf/timestamp.proto"`, `import "elsewhere.proto"`,
			"gateway.proto cannot be read: gateway.proto:9:8: elsewhere.proto is not there"},
	} {
		changed := regexp.MustCompile(tt.old).ReplaceAllString(own, tt.new)
		require.NotEqual(t, own, changed, tt.old)
		_, err := loadText(changed, "")
		require.EqualError(t, err, tt.says)
	}
}

// In proto2, parts of a value or a time may be groups, whose encoding differs from messages.
func TestAGroupIsNoValue(t *testing.T) {
	old := text(t, proto2)
	schema, err := loadText(old, "")
	require.NoError(t, err)
	require.Equal(t, "old.gateway.MxAccessGateway", schema.Service())
	for field, group := range map[string]string{
		"optional Variant value = 5;":          "optional group Value = 5 { optional double number = 1; }",
		"optional int64 source_timestamp = 6;": "optional group Source_timestamp = 6 { optional int64 seconds = 1; }",
	} {
		_, err := loadText(strings.Replace(old, field, group, 1), "")
		name := strings.Fields(field)[2]
		require.EqualError(t, err, "gateway.proto: the field old.gateway.BulkReadResult."+name+" must be a single value, not a group")
	}
}

func TestChoiceOfTheService(t *testing.T) {
	two := text(t, vendorProto) + "\nservice Other { rpc OpenSession(OpenSessionRequest) returns (OpenSessionReply); }\n"
	schema, err := loadText(two, "vendor.gateway.v2.MxAccessGateway")
	require.NoError(t, err)
	require.Equal(t, "vendor.gateway.v2.MxAccessGateway", schema.Service())
	_, err = loadText(two, "vendor.gateway.v2.Other")
	require.EqualError(t, err, "gateway.proto: the service vendor.gateway.v2.Other has no unary method Invoke")
	_, err = loadText(two, "vendor.Gateway")
	require.EqualError(t, err, "gateway.proto: there is no service vendor.Gateway in it, but "+
		"vendor.gateway.v2.MxAccessGateway, vendor.gateway.v2.Other")
	_, err = loadText(`syntax = "proto3"; message M {}`, "")
	require.EqualError(t, err, "gateway.proto: there is no service in it")
}
