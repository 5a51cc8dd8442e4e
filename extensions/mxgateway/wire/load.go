package wire

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/bufbuild/protocompile"
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
	services := compiled[0].Services()
	var all []string
	for i := range services.Len() {
		all = append(all, string(services.Get(i).FullName()))
	}
	found, err := choose(all, service)
	var schema *Schema
	if err == nil {
		schema, err = NewSchema(services.Get(slices.Index(all, found)))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}

	return schema, nil
}
