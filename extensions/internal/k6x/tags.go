package k6x

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/grafana/sobek"
)

// Tags are the option tags of a call: tags of its samples in the module's metrics, as in k6's own
// protocols. The zero value has none.
type Tags struct {
	pairs [][2]string
	key   string
}

// Key returns a string that is equal for equal tags.
func (t *Tags) Key() string { return t.key }

// Pairs returns the names and values.
func (t *Tags) Pairs() [][2]string { return t.pairs }

// With returns the tags and another one.
func (t Tags) With(name, value string) Tags {
	return Tags{append(slices.Clone(t.pairs), [2]string{name, value}), t.key + name + "\x00" + value + "\x00"}
}

// TagsOption returns the option tags for a table of Options. Pass the tags read to Instruments.Tag.
func TagsOption[T any](field func(*T) *Tags) Option[T] { return Into("tags", field, ReadTags) }

// ReadTags reads an object of strings, numbers and booleans.
func ReadTags(method, what string, value sobek.Value) (Tags, error) {
	object, ok := value.(*sobek.Object)
	if !ok || object.ClassName() != "Object" {
		return Tags{}, Wrong(method, what, "an object of strings, such as { name: 'login' }", value)
	}
	var t Tags
	for _, name := range object.Keys() {
		tag := object.Get(name)
		switch Scalar(tag).(type) {
		case string, int64, float64, bool:
			t.pairs = append(t.pairs, [2]string{name, tag.String()})
		default:
			return Tags{}, Wrong(method, what+"."+name, "a string", tag)
		}
	}

	return t, t.settle(method)
}

// UnmarshalJSON reads tags from JSON.
func (t *Tags) UnmarshalJSON(raw []byte) error {
	var given map[string]any
	if json.Unmarshal(raw, &given) != nil {
		return Misuse("option tags must be an object of strings, such as { name: 'login' }, not %s", raw)
	}
	for name, value := range given {
		text, is := value.(string)
		if !is {
			shown, _ := json.Marshal(value) //nolint:errchkjson // it was JSON
			if text = string(shown); strings.ContainsAny(text, "{[") || text == "null" {
				return Misuse("option tags.%s must be a string, not %s", name, text)
			}
		}
		t.pairs = append(t.pairs, [2]string{name, text})
	}

	return t.settle("")
}

// settle sorts the tags. It rejects tags that the module sets itself.
func (t *Tags) settle(method string) error {
	if method != "" {
		method += ": "
	}
	slices.SortFunc(t.pairs, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	var key strings.Builder
	for _, pair := range t.pairs {
		if pair[0] == tagOp || pair[0] == tagOutcome {
			return Misuse("%soption tags cannot have %s, which is a tag of the module's own", method, pair[0])
		}
		key.WriteString(pair[0] + "\x00" + pair[1] + "\x00")
	}
	t.key = key.String()

	return nil
}
