package kvlayout

import (
	"encoding/base32"
	"fmt"
	"strings"
)

// Layout says how records lie in buckets.
type Layout string

// The layouts; the package's documentation compares them.
const (
	Orb       Layout = "orb"        // go-orb's own
	OrbCompat Layout = "orb-compat" // go-orb's with bucketPerTable off and jsonKeyValues on
	Micro     Layout = "micro"      // go-micro's with EncodeKeys
)

// ParseLayout returns the layout of this name.
func ParseLayout(name string) (Layout, error) {
	switch layout := Layout(name); layout {
	case Orb, OrbCompat, Micro:
		return layout, nil
	}

	return "", fmt.Errorf("layout %q is unknown: it is %q, %q or %q", name, Orb, OrbCompat, Micro)
}

// DefaultDatabase is both libraries'.
const DefaultDatabase = "default"

// Bucket returns the name of the bucket of a table, "" for none.
func (l Layout) Bucket(database, table string) string {
	if l == Orb && table != "" {
		return database + "_" + table
	}

	return database
}

// encode returns the key in the bucket.
func (l Layout) encode(table, key string) string {
	return base32.StdEncoding.EncodeToString([]byte(l.prefix(table) + key))
}

// AppendKey appends the key in the bucket of a record without a table to dst.
func (l Layout) AppendKey(dst, key []byte) []byte { return base32.StdEncoding.AppendEncode(dst, key) }

// Purges tells whether to delete a record is to purge it: see the package's documentation.
func (l Layout) Purges() bool { return l != Micro }

// decode returns the key of an encoded one, and whether it is one of the table. As in the
// libraries, what is no base32 is taken as it is, and without a table every key is meant, with its
// own table's name.
func (l Layout) decode(table, encoded string) (key string, ok bool) {
	full := encoded
	if decoded, err := base32.StdEncoding.DecodeString(encoded); err == nil {
		full = string(decoded)
	}

	return strings.CutPrefix(full, l.prefix(table))
}

// prefix returns what stands before the keys of a table.
func (l Layout) prefix(table string) string {
	if l == OrbCompat || table == "" {
		return ""
	}

	return table + "_"
}

// description returns what the library writes into the buckets that it makes.
func (l Layout) description() string {
	if l == Micro {
		return "KeyValue storage administered by go-micro store plugin"
	}

	return "KeyValue storage administered by go-orb"
}
