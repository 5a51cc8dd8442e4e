package drivers

import (
	"net/netip"
	"regexp"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

var tightSelect = regexp.MustCompile(`(?i)^select[^\w\s]`)

// clientSQL rewrites a statement for the clients. They recognise a query by its first word. They
// find no columns if a comment precedes it, or if anything but a space, such as a hint, follows it.
func clientSQL(sql string) string {
	sql = cmi.TrimComments(sql)
	if tightSelect.MatchString(sql) {
		return sql[:len("select")] + " " + sql[len("select"):]
	}

	return sql
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
