package wire_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/umemtest"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

func TestTLS(t *testing.T) {
	certificate, key := umemtest.Certificate(t)
	config := umemtest.TLS(t, certificate, key)
	config.RootCAs = config.ClientCAs
	for g := wire.G1; g <= wire.G3; g++ {
		s := umemtest.Start(t, umemtest.Options{Generation: g, TLS: config})
		o := optionsOf(g)
		o.TLS = config
		c := newClient(t, newPool(t, s.Address(), o))
		large := string(make([]byte, 100<<10))
		c.requireNone("key")
		c.set("key", large)
		c.requireValue("key", large)
		value, _, err := c.getOrSet("other", with("value"))
		require.NoError(t, err)
		require.Equal(t, "value", value)
		require.NoError(t, c.Del(t.Context(), []byte("key")))
		require.Empty(t, s.Violations())

		o.TLS = config.Clone()
		o.TLS.RootCAs = nil
		e := requireKind(t, wire.KindConnect, newClient(t, newPool(t, s.Address(), o)).Del(t.Context(), nil))
		require.Contains(t, e.Message, "the TLS handshake failed")
		o.TLS = config.Clone()
		o.TLS.Certificates = nil
		require.Error(t, newClient(t, newPool(t, s.Address(), o)).Del(t.Context(), nil), "the server wants to know who it is")
	}

	plain := umemtest.Start(t, umemtest.Options{})
	o := optionsOf(wire.G3)
	o.TLS = config
	requireKind(t, wire.KindConnect, newClient(t, newPool(t, plain.Address(), o)).Del(t.Context(), nil))
}
