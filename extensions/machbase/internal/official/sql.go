package official

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

var tightSelect = regexp.MustCompile(`(?i)^select[^\w\s]`)

// SQL makes a statement one that the clients understand: they tell a query by its first word, and
// find no columns when a comment stands before it, or something other than a space behind it, such
// as a hint.
func SQL(sql string) string {
	sql = trimComments(sql)
	if tightSelect.MatchString(sql) {
		return sql[:len("select")] + " " + sql[len("select"):]
	}

	return sql
}

// trimComments takes away the comments before a statement. Hints, which stand behind its first
// word, stay.
func trimComments(sql string) string {
	for {
		sql = strings.TrimSpace(sql)
		var end string
		switch {
		case strings.HasPrefix(sql, "--"):
			end = "\n"
		case strings.HasPrefix(sql, "/*"):
			end = "*/"
		default:
			return sql
		}
		_, rest, found := strings.Cut(sql, end)
		if !found {
			return sql
		}
		sql = rest
	}
}

// Args writes IP addresses as text, which is how the clients take them as parameters and to append.
// The array that it is given stays as it is.
func Args(args []any) []any {
	own := args
	for i, arg := range args {
		if ip, ok := arg.(netip.Addr); ok {
			if &own[0] == &args[0] {
				own = slices.Clone(args)
			}
			own[i] = ip.String()
		}
	}

	return own
}
