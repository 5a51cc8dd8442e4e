// Package official holds what the drivers over Machbase's own clients, machgo and machcli, have in
// common: both clients understand statements in the same narrow way, and both report errors as
// text.
package official
