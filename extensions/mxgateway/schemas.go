package mxgateway

import (
	"context"
	"io"
	"path"
	"strings"
	"sync"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/wire"
)

type schemas struct {
	mu    sync.Mutex
	known map[schemaKey]*wire.Schema
}

type schemaKey struct{ file, address, service string }

// A failed load is repeated at the next call.
func (s *schemas) of(key schemaKey, load func() (*wire.Schema, error)) (*wire.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if schema := s.known[key]; schema != nil {
		return schema, nil
	}
	schema, err := load()
	if err != nil {
		return nil, err
	}
	if s.known == nil {
		s.known = map[schemaKey]*wire.Schema{}
	}
	s.known[key] = schema

	return schema, nil
}

// load reads the .proto in the init context, so that an archive contains it.
func (m *module) load(c *Config) (*wire.Schema, error) {
	env := m.VU().InitEnv()
	if m.VU().State() != nil {
		return nil, k6x.Misuse("a Client with a proto must be made in the init context, where k6 reads files")
	}
	file := env.GetAbsFilePath(c.Proto)
	paths := []string{path.Dir(file)}
	for _, p := range c.ProtoPaths {
		paths = append(paths, env.GetAbsFilePath(strings.TrimSuffix(p, "/")))
	}
	open := func(name string) (io.ReadCloser, error) { return env.FileSystems["file"].Open(name) }
	key := schemaKey{file: strings.Join(append([]string{file}, paths...), "\n"), service: c.Service}

	return m.schemas.of(key, func() (*wire.Schema, error) {
		return wire.Load(m.VU().Context(), path.Base(file), paths, c.Service, open)
	})
}

func (m *module) reflect(ctx context.Context, conn *wire.Conn, c *Config) (*wire.Schema, error) {
	key := schemaKey{address: c.Address, service: c.Service}

	return m.schemas.of(key, func() (*wire.Schema, error) { return conn.Reflect(ctx, c.Service) })
}
