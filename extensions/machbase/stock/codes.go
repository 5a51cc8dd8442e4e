package stock

import (
	"math/rand/v2"
	"slices"
)

// NumCodes is the number of stock codes of the published benchmark.
const NumCodes = 692

// MaxCodeLen is the longest code in bytes that the column code varchar(20) of
// both tables holds.
const MaxCodeLen = 20

// publishedCode is the code that the published tables query.
const publishedCode = "WISH"

// codeLetters has no vowels: drawn letters then never spell a word.
const codeLetters = "BCDFGHJKLMNPQRSTVWXZ"

// Codes returns the stock codes of the default load: [NumCodes] distinct codes
// of one to five upper-case letters in ascending order, "WISH" among them. They
// are made up by rule, not taken from any exchange's list, and never change. The
// caller owns the slice.
func Codes() []string {
	// The seed is fixed for ever: another one would be another data set.
	rng := rand.New(rand.NewPCG(1, NumCodes))
	codes := []string{publishedCode}
	seen := map[string]bool{publishedCode: true}
	for len(codes) < NumCodes {
		code := drawCode(rng)
		if !seen[code] {
			seen[code] = true
			codes = append(codes, code)
		}
	}
	slices.Sort(codes)
	return codes
}

// drawCode favours three and four letters, as exchanges do.
func drawCode(rng *rand.Rand) string {
	lengths := [...]int{1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 4, 5}
	letters := make([]byte, lengths[rng.IntN(len(lengths))])
	for i := range letters {
		letters[i] = codeLetters[rng.IntN(len(codeLetters))]
	}
	return string(letters)
}
