// Package httpapi is a client of machbase-neo's HTTP API: /db/query for statements, /db/write for
// rows. It is for servers that the client of the native protocol, package cmi, does not know. It
// knows nothing of k6. Errors are those of package cmi.
//
// What the API cannot do, this package refuses: it has no parameters (they are written into the
// statement, see literals.go), no prepared statements and no sessions.
package httpapi
