package nats

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// durations are nanoseconds in the API, and k6's durations in scripts.
var durations = []string{ //nolint:gochecknoglobals // a constant
	"ack_wait", "backoff", "duplicate_window", "idle_heartbeat", "inactive_threshold", "limit_marker_ttl", "max_age", "max_expires",
	"priority_timeout", "subject_delete_marker_ttl", "ttl",
}

// spans are durations in milliseconds in scripts.
var spans = []string{"active", "pause_remaining"} //nolint:gochecknoglobals // a constant

// verbatim are the names whose content has the user's own names.
var verbatim = []string{"headers", "metadata"} //nolint:gochecknoglobals // a constant

// apiConfig reads the configuration of a stream, consumer or bucket into into. Names are
// JetStream's, in camel case with k6's durations, or as in the API with nanoseconds.
func apiConfig(what string, value sobek.Value, into any) error {
	object, ok := value.(*sobek.Object)
	if !ok || object.ClassName() != "Object" {
		return k6x.Misuse("%s: the configuration must be an object, not %s", what, k6x.Show(value))
	}
	exported, err := k6x.Export(object)
	if err != nil {
		return k6x.Misuse("%s: the configuration cannot be read: %s", what, err)
	}
	api, err := toAPI(exported)
	if err != nil {
		return k6x.Misuse("%s: %s", what, err)
	}
	raw, err := json.Marshal(api)
	if err != nil {
		return k6x.Misuse("%s: the configuration cannot be read: %s", what, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(into)

	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		return k6x.Misuse("%s: option %s cannot be a %s", what, camel(wrong.Field), wrong.Value)
	}
	if name, found := strings.CutPrefix(err.Error(), "json: unknown field "); found {
		return k6x.Misuse("%s: unknown option %s; the names are those of JetStream's API, in camel case", what, camel(name))
	}

	return k6x.Misuse("%s: %s", what, strings.TrimPrefix(plain(err), "json: "))
}

func toAPI(value any) (any, error) {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, inner := range v {
			api := snake(name)
			var err error
			switch {
			case slices.Contains(verbatim, api):
			case name != api || !strings.Contains(name, "_"):
				inner, err = toAPIValue(api, inner)
			}
			if err != nil {
				return nil, err
			}
			out[api] = inner
		}

		return out, nil
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			var err error
			if out[i], err = toAPI(inner); err != nil {
				return nil, err
			}
		}

		return out, nil
	default:
		return value, nil
	}
}

func toAPIValue(api string, value any) (any, error) {
	if !slices.Contains(durations, api) {
		return toAPI(value)
	}
	if list, ok := value.([]any); ok {
		out := make([]any, len(list))
		for i, v := range list {
			var err error
			if out[i], err = toAPIValue(api, v); err != nil {
				return nil, err
			}
		}

		return out, nil
	}
	name := camel(api)
	if err := unclear(name, value); err != nil {
		return nil, err
	}
	d, err := types.GetDurationValue(value)
	if err != nil {
		return nil, k6x.Misuse("option %s must be %s", name, k6x.DurationNoun)
	}

	return int64(d), nil
}

// unclear is the error of a duration other than 0 without a unit.
func unclear(name string, value any) error {
	number, is := 0.0, true
	switch v := value.(type) {
	case int64:
		number = float64(v)
	case float64:
		number = v
	case string:
		return input.TextUnit(name, v)
	default:
		is = false
	}
	switch {
	case !is:
		return nil
	case name == "ttl" && number != 0:
		return input.TTLUnit(name, number)
	default:
		return input.NumberUnit(name, number)
	}
}

func (m *module) toScript(info any) (sobek.Value, error) {
	raw, err := json.Marshal(info)
	if err != nil {
		return nil, k6x.Errorf(k6x.KindServer, "the answer cannot be read: %s", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var plain any
	if err := decoder.Decode(&plain); err != nil {
		return nil, k6x.Errorf(k6x.KindServer, "the answer cannot be read: %s", err)
	}

	return m.fromAPI("", plain), nil
}

func (m *module) fromAPI(name string, value any) sobek.Value {
	rt := m.Runtime()
	switch v := value.(type) {
	case map[string]any:
		object := rt.NewObject()
		for _, key := range slices.Sorted(maps.Keys(v)) {
			shown := camel(key)
			if slices.Contains(verbatim, name) {
				shown = key
			}
			m.Set(object, shown, m.fromAPI(key, v[key]))
		}

		return object
	case []any:
		values := make([]any, len(v))
		for i, inner := range v {
			values[i] = m.fromAPI(name, inner)
		}

		return rt.NewArray(values...)
	case json.Number:
		return m.fromNumber(name, v)
	default:
		return rt.ToValue(value)
	}
}

func (m *module) fromNumber(name string, n json.Number) sobek.Value {
	rt := m.Runtime()
	if whole, err := n.Int64(); err == nil {
		switch {
		case slices.Contains(durations, name):
			return rt.ToValue(shownTime(time.Duration(whole)))
		case slices.Contains(spans, name):
			return rt.ToValue(float64(whole) / float64(time.Millisecond))
		}
		if whole >= 0 {
			return m.number(uint64(whole))
		}

		return rt.ToValue(whole)
	}
	f, _ := n.Float64()

	return rt.ToValue(f)
}

func shownTime(d time.Duration) any {
	if d == 0 {
		return 0
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}

	return text
}

func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) {
			if i > 0 {
				b.WriteByte('_')
			}
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}

	return b.String()
}

func camel(name string) string {
	var b strings.Builder
	upper := false
	for _, r := range name {
		switch {
		case r == '_':
			upper = true

			continue
		case upper:
			r = unicode.ToUpper(r)
		}
		upper = false
		b.WriteRune(r)
	}

	return b.String()
}
