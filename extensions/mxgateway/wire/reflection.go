package wire

import (
	"context"

	"github.com/jhump/protoreflect/grpcreflect"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Reflect asks the server for the schema of the service with this full name or, for "", of the only
// one called ServiceName.
func (c *Conn) Reflect(ctx context.Context, service string) (*Schema, error) {
	ctx, stop := context.WithCancel(c.authorized(ctx))
	defer stop()
	client := grpcreflect.NewClientAuto(ctx, c.grpc)
	defer client.Reset()
	found, err := resolve(client, service)
	if err == nil {
		var schema *Schema
		if schema, err = NewSchema(found); err == nil {
			return schema, nil
		}
	}
	if status.Code(err) == codes.Unimplemented {
		return nil, Errorf(KindUsage, "the server has no reflection: give the .proto file")
	}
	if _, isGRPC := status.FromError(err); isGRPC {
		return nil, failed(err, c.key, false)
	}

	return nil, Errorf(KindProtocol, "the server's reflection cannot be used: %s", oneLine(err.Error(), c.key))
}

func resolve(client *grpcreflect.Client, service string) (protoreflect.ServiceDescriptor, error) {
	all, err := client.ListServices()
	if err != nil {
		return nil, err
	}
	if service, err = choose(all, service); err != nil {
		return nil, err
	}
	found, err := client.ResolveService(service)
	if err != nil {
		return nil, err
	}

	return found.UnwrapService(), nil
}
