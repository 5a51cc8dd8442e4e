package gatewaytest

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/reflection"
	rpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

func (s *Server) reflection() rpb.ServerReflectionServer {
	return reflection.NewServerV1(reflection.ServerOptions{Services: services{s.service}, DescriptorResolver: resolver{s.service}})
}

type services struct {
	one protoreflect.ServiceDescriptor
}

// GetServiceInfo implements reflection.ServiceInfoProvider.
func (s services) GetServiceInfo() map[string]grpc.ServiceInfo {
	return map[string]grpc.ServiceInfo{string(s.one.FullName()): {}}
}

type resolver struct {
	one protoreflect.ServiceDescriptor
}

// FindFileByPath implements protodesc.Resolver.
func (r resolver) FindFileByPath(path string) (protoreflect.FileDescriptor, error) {
	if path == r.one.ParentFile().Path() {
		return r.one.ParentFile(), nil
	}

	return protoregistry.GlobalFiles.FindFileByPath(path)
}

// FindDescriptorByName implements protodesc.Resolver.
func (r resolver) FindDescriptorByName(name protoreflect.FullName) (protoreflect.Descriptor, error) {
	if name == r.one.FullName() {
		return r.one, nil
	}

	return protoregistry.GlobalFiles.FindDescriptorByName(name)
}
