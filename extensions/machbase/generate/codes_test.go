package generate

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCodes(t *testing.T) {
	codes := Codes()
	require.Len(t, codes, numCodes)
	require.Contains(t, codes, "WISH")
	require.True(t, slices.IsSorted(codes))
	require.Len(t, slices.Compact(slices.Clone(codes)), numCodes, "codes are distinct")
	shape := regexp.MustCompile(`^[A-Z]{1,5}$`)
	for _, code := range codes {
		require.Regexp(t, shape, code)
	}
}

func TestCodesNeverChange(t *testing.T) {
	sum := sha256.Sum256([]byte(strings.Join(Codes(), "\n")))
	require.Equal(t, "2c3b7d2b1cccef862bd7e9dc612ee8e8255c08b8fb222f619f1490df4f969e9f", hex.EncodeToString(sum[:]))
}

func TestCodesBelongToTheCaller(t *testing.T) {
	codes := Codes()
	codes[0] = "spoilt"
	require.NotEqual(t, codes, Codes())
}
