package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	rpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Both versions of server reflection have the same messages:
// https://github.com/grpc/grpc/blob/master/doc/server-reflection.md.
//
//nolint:gochecknoglobals // a constant
var reflectionMethods = []string{
	"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
	"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
}

const maxFiles = 1000

// Reflect asks the server for the schema of the service with this full name or, for "", of the only
// one called ServiceName.
func (c *Conn) Reflect(ctx context.Context, service string) (*Schema, error) {
	var err error
	var a answer
	for _, method := range reflectionMethods {
		var schema *Schema
		if schema, err = c.reflect(ctx, method, service, &a); err == nil {
			return schema, nil
		}
		if status.Code(err) != codes.Unimplemented {
			break
		}
	}
	if status.Code(err) == codes.Unimplemented {
		return nil, Errorf(KindUsage, "the server has no reflection: give the .proto file")
	}
	if _, isGRPC := status.FromError(err); isGRPC {
		return nil, failed(err, c.key, a.came())
	}

	return nil, Errorf(KindProtocol, "the server's reflection cannot be used: %s", oneLine(err.Error(), c.key))
}

func (c *Conn) reflect(ctx context.Context, method, service string, a *answer) (*Schema, error) {
	ctx, stop := context.WithCancel(c.authorized(ctx))
	defer stop()
	stream, err := c.grpc.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method,
		grpc.Header(&a.header), grpc.Trailer(&a.trailer))
	if err != nil {
		return nil, err
	}
	r := &reflection{stream: stream, files: map[string]*descriptorpb.FileDescriptorProto{}}
	if service == "" {
		if service, err = r.service(); err != nil {
			return nil, err
		}
	}
	if err := r.ask(&rpb.ServerReflectionRequest{
		MessageRequest: &rpb.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: service},
	}); err != nil {
		return nil, err
	}
	files, err := r.link()
	if err != nil {
		return nil, err
	}
	described, err := files.FindDescriptorByName(protoreflect.FullName(service))
	if err != nil {
		return nil, fmt.Errorf("it has no service %s", service)
	}
	found, ok := described.(protoreflect.ServiceDescriptor)
	if !ok {
		return nil, fmt.Errorf("%s is not a service", service)
	}

	return NewSchema(found)
}

type reflection struct {
	stream grpc.ClientStream
	files  map[string]*descriptorpb.FileDescriptorProto
}

func (r *reflection) exchange(request *rpb.ServerReflectionRequest) (*rpb.ServerReflectionResponse, error) {
	if err := r.stream.SendMsg(request); err != nil {
		return nil, r.why(err)
	}
	response := &rpb.ServerReflectionResponse{}
	if err := r.stream.RecvMsg(response); err != nil {
		return nil, err
	}
	if e := response.GetErrorResponse(); e != nil {
		return nil, errors.New(e.GetErrorMessage())
	}

	return response, nil
}

// why returns the stream's error; sending only reports that there is one.
func (r *reflection) why(err error) error {
	if said := r.stream.RecvMsg(&rpb.ServerReflectionResponse{}); said != nil {
		return said
	}

	return err
}

func (r *reflection) service() (string, error) {
	response, err := r.exchange(&rpb.ServerReflectionRequest{MessageRequest: &rpb.ServerReflectionRequest_ListServices{}})
	if err != nil {
		return "", err
	}
	var found []string
	for _, one := range response.GetListServicesResponse().GetService() {
		if one.GetName() == ServiceName || strings.HasSuffix(one.GetName(), "."+ServiceName) {
			found = append(found, one.GetName())
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", fmt.Errorf("it has no service %s", ServiceName)
	default:
		return "", fmt.Errorf("it has several services %s: name one of %s", ServiceName, strings.Join(found, ", "))
	}
}

func (r *reflection) ask(request *rpb.ServerReflectionRequest) error {
	requests := []*rpb.ServerReflectionRequest{request}
	for len(requests) > 0 {
		response, err := r.exchange(requests[0])
		if err != nil {
			return err
		}
		requests = requests[1:]
		before := len(r.files)
		for _, raw := range response.GetFileDescriptorResponse().GetFileDescriptorProto() {
			if err := r.add(raw); err != nil {
				return err
			}
		}
		if len(r.files) > maxFiles {
			return fmt.Errorf("it has more than %d files", maxFiles)
		}
		if len(requests) == 0 && len(r.files) > before {
			requests = r.missing()
		}
	}

	return nil
}

func (r *reflection) add(raw []byte) error {
	file := &descriptorpb.FileDescriptorProto{}
	if err := proto.Unmarshal(raw, file); err != nil {
		return fmt.Errorf("a file cannot be read: %w", err)
	}
	r.files[file.GetName()] = file

	return nil
}

func (r *reflection) missing() (requests []*rpb.ServerReflectionRequest) {
	asked := map[string]bool{}
	for _, file := range r.files {
		for _, name := range file.GetDependency() {
			if r.files[name] == nil && !asked[name] {
				asked[name] = true
				requests = append(requests, &rpb.ServerReflectionRequest{
					MessageRequest: &rpb.ServerReflectionRequest_FileByFilename{FileByFilename: name},
				})
			}
		}
	}

	return requests
}

func (r *reflection) link() (*protoregistry.Files, error) {
	set := &descriptorpb.FileDescriptorSet{}
	for _, file := range r.files {
		set.File = append(set.File, file)
	}

	return protodesc.NewFiles(set)
}
