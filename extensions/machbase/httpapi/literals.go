package httpapi

import (
	"math"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// withLiterals puts the parameters where a statement has its question marks, as the API has none of
// its own. A statement without parameters stays as it is.
func withLiterals(sql string, args []any) (string, error) {
	places, certain := placeholders(sql)
	switch {
	case !certain && len(args) > 0:
		return "", cmi.NewError(cmi.KindUsage, "driver http cannot put parameters into a statement with a backslash "+
			"before a quote: make that string a parameter")
	case certain && len(places) != len(args):
		return "", cmi.NewError(cmi.KindUsage, "the statement takes %d parameters, not %d", len(places), len(args))
	case len(args) == 0:
		return sql, nil
	}
	var b strings.Builder
	from := 0
	for i, place := range places {
		text, err := literal(args[i])
		if err != nil {
			return "", cmi.NewError(cmi.KindUsage, "parameter %d: %s", i+1, err.Message)
		}
		b.WriteString(sql[from:place])
		b.WriteString(text)
		from = place + 1
	}
	b.WriteString(sql[from:])

	return b.String(), nil
}

// placeholders are the places of the question marks that are neither in a string or a quoted name
// nor in a comment. They are not certain where a backslash stands before a quote: the server takes
// it for the string's last character or for a part of the quote, whichever makes the string longer.
func placeholders(sql string) (places []int, certain bool) {
	for i := 0; i < len(sql); {
		switch rest := sql[i:]; {
		case rest[0] == '?':
			places = append(places, i)
			i++
		case rest[0] == '\'':
			length := 1 + strings.IndexByte(rest[1:], '\'') + 1
			if length == 1 {
				return places, true // the server says that the string does not end
			}
			if rest[length-2] == '\\' {
				return nil, false
			}
			i += length
		case rest[0] == '"':
			i += skip(rest, 1, "\"")
		case strings.HasPrefix(rest, "--"):
			i += skip(rest, 2, "\n")
		case strings.HasPrefix(rest, "/*"):
			i += skip(rest, 2, "*/")
		default:
			i++
		}
	}

	return places, true
}

// skip is the length of text up to the first end at or behind from, and with it.
func skip(text string, from int, end string) int {
	if at := strings.Index(text[from:], end); at >= 0 {
		return from + at + len(end)
	}

	return len(text)
}

// literal writes a parameter as SQL does. NaN and the infinities are null, as they are in the
// native protocol.
func literal(value any) (string, *cmi.Error) {
	switch v := value.(type) {
	case nil:
		return "NULL", nil
	case string:
		return quote(v)
	case int16:
		return strconv.FormatInt(int64(v), 10), nil
	case int32:
		return strconv.FormatInt(int64(v), 10), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float32:
		return float(float64(v), 32), nil
	case float64:
		return float(v, 64), nil
	case time.Time:
		return strconv.FormatInt(v.UnixNano(), 10), nil
	case netip.Addr:
		return "'" + v.String() + "'", nil
	default:
		return "", cmi.NewError(cmi.KindUsage, "driver http cannot send a %s: SQL has no form for it", kindOf(v))
	}
}

func kindOf(value any) string {
	if _, is := value.([]byte); is {
		return "binary value"
	}

	return "value of this type"
}

func float(f float64, bits int) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return "NULL"
	}
	text := strconv.FormatFloat(f, 'g', -1, bits)
	if !strings.ContainsAny(text, ".e") {
		text += ".0" // or it is an integer
	}

	return text
}

// quote writes a string. One with a backslash at its end or before a quote has no form that the
// server reads in one way only, and one with a NUL would end the statement.
func quote(s string) (string, *cmi.Error) {
	switch {
	case strings.HasSuffix(s, `\`), strings.Contains(s, `\'`):
		return "", cmi.NewError(cmi.KindUsage, "driver http cannot send a string with a backslash at its end or before a quote")
	case strings.ContainsRune(s, 0):
		return "", cmi.NewError(cmi.KindUsage, "driver http cannot send a string with a NUL")
	}

	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(s) + "'", nil
}
