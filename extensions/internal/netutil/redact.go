package netutil

import (
	"regexp"
	"strings"
)

const hidden = "***"

var (
	// A password may contain @, so it ends at the last @ of the word.
	inURL = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.\-]*://[^\s:/?#@'"]*):(\S*)@`)
	// NATS and HTTP servers accept a token alone before the @.
	aloneInURL = regexp.MustCompile(`(?i)((?:nats|tls|wss?|https?)://)[^\s:/?#@'"]+@`)
	// user:password@tcp(host:port)/database of go-sql-driver.
	beforeHost = regexp.MustCompile(`(^|[\s='"])([\w.\-]+):([^\s/@][^\s@]*)@`)
	// libpq's key=value form, with quotes or backslashes, and URL parameters.
	// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-KEYWORD-VALUE
	named = regexp.MustCompile(`(?i)` +
		`([\w.\-]*(?:pass(?:word|wd|phrase)?|pwd|secret|token|credential|(?:api|access|private)[_\-]?key)[\w.\-]*)` +
		`(\s*=\s*)` +
		`('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?:\\.|[^\s&;'"\\])+)`)
	// Keys of an address in key=value form.
	keyValues = regexp.MustCompile(`(?i)\b(?:host|hostaddr|user|dbname|server|database)\s*=`)
	withUser  = regexp.MustCompile(`://\S*@`)
)

// Redact returns an address or a command line with *** in place of each password or other secret.
// It knows URLs, libpq's key=value form, and user:password@host.
func Redact(text string) string {
	text = inURL.ReplaceAllString(text, "$1:"+hidden+"@")
	text = aloneInURL.ReplaceAllString(text, "${1}"+hidden+"@")
	text = beforeHost.ReplaceAllString(text, "$1$2:"+hidden+"@")

	return named.ReplaceAllString(text, "$1$2"+hidden)
}

// IsKeyValues reports whether an address is in libpq's key=value form.
func IsKeyValues(address string) bool {
	return keyValues.MatchString(address) && !strings.Contains(address, "://")
}

// RedactFact redacts a value of a script's report if it is an address. It leaves queries unchanged,
// even with a column named password.
func RedactFact(text string) string {
	if withUser.MatchString(text) || beforeHost.MatchString(text) || keyValues.MatchString(text) && !isQuery.MatchString(text) {
		return Redact(text)
	}

	return text
}

var isQuery = regexp.MustCompile(`(?i)^\s*(?:select|insert|update|delete|with|create|alter|drop|exec|call|merge)\s`)
