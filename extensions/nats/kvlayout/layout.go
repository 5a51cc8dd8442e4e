// Package kvlayout stores records in NATS key-value buckets in the layouts of two Go libraries:
// go-orb (github.com/go-orb/plugins, kvstore/natsjs) and go-micro (github.com/micro/plugins,
// store/nats-js-kv, with its option EncodeKeys). The libraries can read what a [Store] writes, and
// the reverse. See [Layout].
package kvlayout

import (
	"encoding/base32"
	"encoding/json"
	"fmt"
	"strings"
)

// Layout is the form in which records are stored in buckets.
//
//	         Orb                    OrbCompat             Micro
//	bucket   db_table, or           db                    db
//	         db without a table
//	key      base32 of table_key,   base32 of key         base32 of table_key,
//	         or of key                                    or of key
//	value    the bytes              {"key", "data",       as OrbCompat, with the
//	                                "metadata": {}}       record's metadata or null
//	created  at each bucket's       as Orb                by Open
//	         first use, also a read
//	deleted  purge                  purge                 delete marker
//	listed   one bucket, paging     as Orb, but the       the bucket, paging after
//	         before the filter      table is ignored      the filter
//	empty    ErrEmpty               ErrEmpty              no keys, no error
//
// Base32 is the standard form, in upper case and padded. JSON values are written by encoding/json,
// as in both libraries.
//
// This package repeats these properties of the libraries:
//   - In OrbCompat the tables of a database share their keys: key k of table a is key k of table b,
//     a bug of go-orb. Only records without a table are compatible with Micro.
//   - In Orb, table t of database d and database d_t without a table share a bucket, with different
//     keys.
//   - Paging is done on the client, so each page costs as much as the whole list.
//   - In Orb and OrbCompat a page can be shorter than its limit although more keys match.
type Layout string

// The layouts.
const (
	Orb       Layout = "orb"        // go-orb's default
	OrbCompat Layout = "orb-compat" // go-orb with bucketPerTable off and jsonKeyValues on
	Micro     Layout = "micro"      // go-micro with EncodeKeys
)

// ParseLayout returns the layout with this name.
func ParseLayout(name string) (Layout, error) {
	switch layout := Layout(name); layout {
	case Orb, OrbCompat, Micro:
		return layout, nil
	}

	return "", fmt.Errorf("layout %q is unknown: it is %q, %q or %q", name, Orb, OrbCompat, Micro)
}

// DefaultDatabase is the default of both libraries.
const DefaultDatabase = "default"

// Bucket returns the bucket's name. The table may be "".
func (l Layout) Bucket(database, table string) string {
	if l == Orb && table != "" {
		return database + "_" + table
	}

	return database
}

func (l Layout) encode(table, key string) string {
	return base32.StdEncoding.EncodeToString([]byte(l.prefix(table) + key))
}

// AppendKey appends to dst the key in the bucket of a record without a table.
func (l Layout) AppendKey(dst, key []byte) []byte { return base32.StdEncoding.AppendEncode(dst, key) }

// Purges reports whether Delete purges the key.
func (l Layout) Purges() bool { return l != Micro }

// decode behaves as the libraries do: it returns a key with an invalid encoding unchanged. If table
// is "", ok is true for every key, and the key includes its table.
func (l Layout) decode(table, encoded string) (key string, ok bool) {
	full := encoded
	if decoded, err := base32.StdEncoding.DecodeString(encoded); err == nil {
		full = string(decoded)
	}

	return strings.CutPrefix(full, l.prefix(table))
}

func (l Layout) prefix(table string) string {
	if l == OrbCompat || table == "" {
		return ""
	}

	return table + "_"
}

func (l Layout) description() string {
	if l == Micro {
		return "KeyValue storage administered by go-micro store plugin"
	}

	return "KeyValue storage administered by go-orb"
}

// envelope is a value in the JSON layouts. The fields have the order of the libraries.
type envelope struct {
	Key      string         `json:"key"`
	Data     []byte         `json:"data"`
	Metadata map[string]any `json:"metadata"`
}

// EncodeValue returns the record's value in the bucket.
func (l Layout) EncodeValue(record Record) ([]byte, error) {
	switch {
	case l == Micro:
		value, err := json.Marshal(envelope{record.Key, record.Value, record.Metadata})
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrMetadata, err)
		}

		return value, nil
	case len(record.Metadata) != 0:
		return nil, fmt.Errorf("%w: layout %q stores none", ErrMetadata, l)
	case l == OrbCompat:
		return json.Marshal(envelope{record.Key, record.Value, map[string]any{}})
	}

	return record.Value, nil
}

// DecodeValue returns the record of a value in the bucket. Orb takes the key from the argument, the
// other layouts from the value.
func (l Layout) DecodeValue(table, key string, value []byte) (Record, error) {
	if l == Orb {
		return Record{Table: table, Key: key, Value: value}, nil
	}
	var e envelope
	if err := json.Unmarshal(value, &e); err != nil {
		return Record{}, fmt.Errorf("%w: %w", ErrValue, err)
	}
	if l == OrbCompat {
		e.Metadata = nil // go-orb stores none
	}

	return Record{Table: table, Key: e.Key, Value: e.Data, Metadata: e.Metadata}, nil
}
