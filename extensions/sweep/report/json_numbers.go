package report

import "bytes"

// longList is the length, in characters, from which a list of numbers is put on one line.
const longList = 100

// numbersOnOneLine puts each long list of numbers in indented JSON on one line.
func numbersOnOneLine(indented []byte) []byte {
	out := make([]byte, 0, len(indented))
	for len(indented) > 0 {
		at := bytes.IndexAny(indented, `"[`)
		if at < 0 {
			break
		}
		out = append(out, indented[:at]...)
		indented = indented[at:]
		end := 1
		if indented[0] == '"' {
			end = stringEnd(indented)
			out = append(out, indented[:end]...)
		} else if n := numbersEnd(indented); n > longList {
			end = n
			out = append(out, bytes.ReplaceAll(bytes.Join(bytes.Fields(indented[:end]), nil), []byte(","), []byte(", "))...)
		} else {
			out = append(out, '[')
		}
		indented = indented[end:]
	}

	return append(out, indented...)
}

func stringEnd(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}

	return len(text)
}

// numbersEnd returns the end of the list that text begins with; zero if it has more than numbers.
func numbersEnd(text []byte) int {
	end := bytes.IndexFunc(text[1:], func(r rune) bool { return !bytes.ContainsRune([]byte("0123456789+-.eE, \n"), r) }) + 1
	if end == 0 || text[end] != ']' {
		return 0
	}

	return end + 1
}
