// Package redact takes passwords and other secrets out of addresses of servers and out of command
// lines, in the forms that drivers read: URLs, the key=value form of libpq, and user:password@host.
package redact

import (
	"regexp"
	"strings"
)

// hidden stands for a secret.
const hidden = "***"

var (
	// A password ends at the last @ of the word, as it may have one itself.
	inURL = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.\-]*://[^\s:/?#@'"]*):(\S*)@`)
	// What stands alone before the @ is a token to NATS and to servers of HTTP.
	aloneInURL = regexp.MustCompile(`(?i)((?:nats|tls|wss?|https?)://)[^\s:/?#@'"]+@`)
	// go-sql-driver's form: user:password@tcp(host:port)/database.
	beforeHost = regexp.MustCompile(`(^|[\s='"])([\w.\-]+):([^\s/@][^\s@]*)@`)
	// libpq's form, with quotes or with backslashes before spaces, and parameters of URLs.
	// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-KEYWORD-VALUE
	named = regexp.MustCompile(`(?i)` +
		`([\w.\-]*(?:pass(?:word|wd|phrase)?|pwd|secret|token|credential|(?:api|access|private)[_\-]?key)[\w.\-]*)` +
		`(\s*=\s*)` +
		`('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?:\\.|[^\s&;'"\\])+)`)
	// What an address in the key=value form has.
	keyValues = regexp.MustCompile(`(?i)\b(?:host|hostaddr|user|dbname|server|database)\s*=`)
	withUser  = regexp.MustCompile(`://\S*@`)
)

// Address returns an address or a command line with *** in the place of each secret.
func Address(text string) string {
	text = inURL.ReplaceAllString(text, "$1:"+hidden+"@")
	text = aloneInURL.ReplaceAllString(text, "${1}"+hidden+"@")
	text = beforeHost.ReplaceAllString(text, "$1$2:"+hidden+"@")

	return named.ReplaceAllString(text, "$1$2"+hidden)
}

// IsKeyValues reports whether an address is in the key=value form of libpq.
func IsKeyValues(address string) bool {
	return keyValues.MatchString(address) && !strings.Contains(address, "://")
}

// Fact returns a value that a script gives of what it measures, as Address does where the text is
// an address. The text of a query is none, also where it names a column password.
func Fact(text string) string {
	if withUser.MatchString(text) || beforeHost.MatchString(text) || keyValues.MatchString(text) && !isQuery.MatchString(text) {
		return Address(text)
	}

	return text
}

var isQuery = regexp.MustCompile(`(?i)^\s*(?:select|insert|update|delete|with|create|alter|drop|exec|call|merge)\s`)
