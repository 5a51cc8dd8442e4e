package wire

import (
	"context"
	"fmt"
	"io"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Load reads a .proto file and its imports, and returns the schema of the service with this full
// name or, for "", of the only one called ServiceName. Open opens a file by its path.
func Load(
	ctx context.Context, path string, importPaths []string, service string, open func(path string) (io.ReadCloser, error),
) (*Schema, error) {
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: importPaths, Accessor: open}),
	}
	compiled, err := compiler.Compile(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %s", path, oneLine(err.Error(), ""))
	}
	found, err := Service([]protoreflect.FileDescriptor{compiled[0]}, service)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	schema, err := NewSchema(found)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}

	return schema, nil
}
