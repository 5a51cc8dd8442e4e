package generate

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata anew")

func TestStockIsGolden(t *testing.T) {
	var b strings.Builder
	g := published(t, 42)
	for _, at := range []time.Duration{0, 30*time.Minute + 200*time.Millisecond, time.Hour} {
		from := noon.Add(at)
		for _, k := range ticks(t, g, from, from.Add(100*time.Millisecond))[:5] {
			fmt.Fprintln(&b, "tick", k.Code, k.UnixNano, k.Price, k.Volume, k.BidPrice, k.AskPrice)
		}
	}
	for _, r := range rollups(t, g, noon.Add(59*time.Minute), noon.Add(time.Hour))[:5] {
		fmt.Fprintln(&b, "minute", r.Code, r.UnixNano, r.SumPrice, r.SumVolume, r.SumBid, r.SumAsk, r.Count)
	}

	path := filepath.Join("testdata", "stock.txt")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
}
