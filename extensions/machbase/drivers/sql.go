package drivers

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

var tightSelect = regexp.MustCompile(`(?i)^select[^\w\s]`)

// clientSQL rewrites a statement for the clients. They recognise a query by its first word. They
// find no columns if a comment precedes it, or if anything but a space, such as a hint, follows it.
func clientSQL(sql string) string {
	sql = trimComments(sql)
	if tightSelect.MatchString(sql) {
		return sql[:len("select")] + " " + sql[len("select"):]
	}

	return sql
}

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

// clientArgs returns a copy in which IP addresses are text, the form that the clients accept.
func clientArgs(args []any) []any {
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
