package nats

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/grafana/sobek"

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

// apiConfig reads the next argument, the configuration of a stream, consumer or bucket. Names are
// JetStream's, in camel case with k6's durations, or as in the API with nanoseconds.
func apiConfig[C any](a *args) (into C) {
	object, ok := a.next().(*sobek.Object)
	if !ok || object.ClassName() != "Object" {
		a.refuse("the configuration must be an object, not %s", k6x.Show(a.call.Argument(a.at-1)))

		return into
	}
	exported, err := k6x.Export(object)
	var raw []byte
	if err == nil {
		if exported, err = a.toAPI("", exported); err != nil {
			a.err = cmp.Or(a.err, err)

			return into
		}
		raw, err = json.Marshal(exported)
	}
	if err != nil {
		a.refuse("the configuration cannot be read: %s", err)

		return into
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err = decoder.Decode(&into); err == nil {
		return into
	}
	if wrong, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		a.refuse("option %s cannot be a %s", camel(wrong.Field), wrong.Value)
	} else if name, found := strings.CutPrefix(err.Error(), "json: unknown field "); found {
		a.refuse("unknown option %s; the names are those of JetStream's API, in camel case", camel(name))
	} else {
		a.refuse("%s", strings.TrimPrefix(plain(err), "json: "))
	}

	return into
}

// toAPI converts the value of a name to the API's.
func (a *args) toAPI(name string, value any) (any, error) {
	var err error
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, inner := range v {
			api := snake(name)
			if !slices.Contains(verbatim, api) && (name != api || !strings.Contains(name, "_")) {
				if inner, err = a.toAPI(api, inner); err != nil {
					return nil, err
				}
			}
			out[api] = inner
		}

		return out, nil
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			if out[i], err = a.toAPI(name, inner); err != nil {
				return nil, err
			}
		}

		return out, nil
	}
	if !slices.Contains(durations, name) {
		return value, nil
	}
	duration := k6x.Time
	if name == "ttl" {
		duration = k6x.TTL
	}
	d, err := duration(a.method, "option "+camel(name), a.client.Runtime().ToValue(value))

	return int64(d), err
}

func (m *module) toScript(info any) (sobek.Value, error) {
	raw, err := json.Marshal(info)
	var answer any
	if err == nil {
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		err = decoder.Decode(&answer)
	}
	if err != nil {
		return nil, k6x.Errorf(k6x.KindServer, "the answer cannot be read: %s", err)
	}

	return k6x.Plain(m.Runtime(), m.fromAPI("", answer)), nil
}

// fromAPI converts the value of a name to a script's.
func (m *module) fromAPI(name string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		object := make(map[string]any, len(v))
		for key, inner := range v {
			shown := camel(key)
			if slices.Contains(verbatim, name) {
				shown = key
			}
			object[shown] = m.fromAPI(key, inner)
		}

		return object
	case []any:
		for i, inner := range v {
			v[i] = m.fromAPI(name, inner)
		}

		return v
	case json.Number:
		whole, err := v.Int64()
		f, _ := v.Float64()
		switch {
		case err != nil:
			return f
		case slices.Contains(durations, name):
			return shownTime(time.Duration(whole))
		case slices.Contains(spans, name):
			return f / float64(time.Millisecond)
		case whole >= 0:
			return m.show(uint64(whole))
		}

		return whole
	}

	return value
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
