package kvlayout

import (
	"encoding/json"
	"fmt"
)

// envelope is a value in the layouts that write JSON, its fields in both libraries' order.
type envelope struct {
	Key      string         `json:"key"`
	Data     []byte         `json:"data"`
	Metadata map[string]any `json:"metadata"`
}

// EncodeValue returns what the bucket holds for a record.
func (l Layout) EncodeValue(record Record) ([]byte, error) {
	switch {
	case l == Micro:
		value, err := json.Marshal(envelope{record.Key, record.Value, record.Metadata})
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrMetadata, err)
		}

		return value, nil
	case len(record.Metadata) != 0:
		return nil, fmt.Errorf("%w: layout %q keeps none", ErrMetadata, l)
	case l == OrbCompat:
		return json.Marshal(envelope{record.Key, record.Value, map[string]any{}})
	}

	return record.Value, nil
}

// DecodeValue returns the record of what the bucket holds. Orb's key is the one asked for; the
// others bring theirs.
func (l Layout) DecodeValue(table, key string, value []byte) (Record, error) {
	if l == Orb {
		return Record{Table: table, Key: key, Value: value}, nil
	}
	var e envelope
	if err := json.Unmarshal(value, &e); err != nil {
		return Record{}, fmt.Errorf("%w: %w", ErrValue, err)
	}
	if l == OrbCompat {
		e.Metadata = nil // go-orb's records have none
	}

	return Record{Table: table, Key: e.Key, Value: e.Data, Metadata: e.Metadata}, nil
}
