package kvlayout

import (
	"encoding/json"
	"fmt"
)

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
