package kvlayout_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/kvlayout"
)

// A file in the place of the stream's folder makes the server fail once; the server then removes
// the file.
func TestABucketThatTheServerFailsToMakeOnce(t *testing.T) {
	server := testutil.StartNATS(t, "")
	js := connect(t, server.URL)
	inTheWay := filepath.Join(server.Streams, "KV_shop")
	require.NoError(t, os.WriteFile(inTheWay, nil, 0o600))
	store, err := kvlayout.Open(t.Context(), js, kvlayout.Options{Layout: kvlayout.Micro, Database: "shop"})
	require.NoError(t, err)
	put(t, store, "stock/acme")
}

func TestABucketThatTheServerCannotMake(t *testing.T) {
	server := testutil.StartNATS(t, "")
	js := connect(t, server.URL)
	all := filepath.Dir(filepath.Dir(server.Streams))
	require.NoError(t, os.RemoveAll(all))
	require.NoError(t, os.WriteFile(all, nil, 0o600))
	_, err := kvlayout.Open(t.Context(), js, kvlayout.Options{Layout: kvlayout.Micro, Database: "shop"})
	require.ErrorContains(t, err, `open bucket "shop": nats: API error: code=500 err_code=10049 description=error creating store for stream`)
}
