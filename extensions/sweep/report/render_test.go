package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRender(t *testing.T) {
	suffixes := map[string]string{}
	for _, f := range Formats {
		suffixes[f.Name] = f.Suffix
		out, err := madeUp(nil).Render(f.Name)
		require.NoError(t, err)
		require.NotEmpty(t, out, f.Name)
	}
	require.Equal(t, map[string]string{
		"json": ".json", "md": ".md", "csv": ".csv", "bench": ".bench.txt", "junit": ".junit.xml",
	}, suffixes)
}

func TestRenderOfAnUnknownFormat(t *testing.T) {
	for _, format := range []string{"", "xml", "MD", "html"} {
		_, err := madeUp(nil).Render(format)
		require.ErrorContains(t, err, `unknown format "`+format+`": it is to be one of json, md, csv, bench, junit`)
	}
}
