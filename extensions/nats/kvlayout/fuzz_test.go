package kvlayout

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func FuzzKey(f *testing.F) {
	for _, seed := range [][2]string{{"", "k1"}, {"tbl", "k1"}, {"t", "_"}, {"tbl", "tbl_k"}, {"", "NMYQ===="}, {"\xff", "\x00"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, table, key string) {
		for _, layout := range []Layout{Orb, OrbCompat, Micro} {
			got, ok := layout.decode(table, layout.encode(table, key))
			require.True(t, ok)
			require.Equal(t, key, got)
			full, ok := layout.decode("", key)
			if table == "" || layout == OrbCompat {
				require.True(t, ok)
				continue
			}
			got, ok = layout.decode(table, key)
			require.Equal(t, full == table+"_"+got, ok, "whether it is a key of the table")
		}
	})
}

func FuzzValue(f *testing.F) {
	for _, seed := range []string{
		`{"key":"k1","data":"djE=","metadata":{}}`, `{"key":"k1","data":"djE=","metadata":{"a":1}}`, `{"key":"","data":null,"metadata":null}`,
		`{"key":1}`, `{"data":"?"}`, `{`, ``, `null`, `[{}]`, "v1",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		record, err := Orb.DecodeValue("t", "k", value)
		require.NoError(t, err)
		require.Equal(t, Record{Table: "t", Key: "k", Value: value}, record)
		for _, layout := range []Layout{OrbCompat, Micro} {
			record, err := layout.DecodeValue("t", "k", value)
			if err != nil {
				require.ErrorIs(t, err, ErrValue)
				require.Empty(t, record)
				continue
			}
			require.True(t, utf8.ValidString(record.Key))
			encoded, err := layout.EncodeValue(record)
			require.NoError(t, err)
			again, err := layout.DecodeValue("t", "k", encoded)
			require.NoError(t, err)
			require.Equal(t, record, again)
		}
	})
}
