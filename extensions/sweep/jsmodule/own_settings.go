package jsmodule

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// ownSettings are the settings that a script declares with sweep.settings, in their order.
type ownSettings struct {
	names []string
	of    map[string]*ownSetting
	given func(name string) string // returns the text of a setting, "" if it is not given

	// Sweep has the settings of sweep.options that the script accepts.
	Sweep []string `json:"sweep"`
	// Base has the settings in which the base of a duet may differ.
	Base []string `json:"base"`
}

// declare is sweep.settings({...}), declared in index.d.ts.
func (m *module) declare(call sobek.FunctionCall) sobek.Value {
	rt := m.vu.Runtime()
	own, err := readOwnSettings(call)
	if err != nil {
		k6x.ThrowType(rt, "sweep.settings: %s", err.Error())
	}
	s := m.settings()
	s.closed.Store(true)
	for _, name := range own.names {
		s.asked.Store(name, true)
	}
	own.given = func(name string) string {
		text, _ := k6x.Setting(m.env, m.test, name, own.variable(name))

		return text
	}
	values, err := own.read(rt, nil)
	if err == nil {
		err = own.readBase(rt, values)
	}
	if err == nil {
		err = own.refuseUnknown(s.given, rt.Get("__ENV").ToObject(rt))
	}
	if err != nil {
		m.misconfigured(wrongSetting{err})

		return sobek.Undefined()
	}

	return values
}

func readOwnSettings(call sobek.FunctionCall) (*ownSettings, error) {
	object, ok := call.Argument(0).(*sobek.Object)
	if !ok {
		return nil, fmt.Errorf("takes settings and their defaults, such as { KEYS: 1000 }, not %s", k6x.Show(call.Argument(0)))
	}
	own := &ownSettings{names: object.Keys(), of: map[string]*ownSetting{}, Sweep: settingNames()}
	if err := k6x.ReadOptions(call.Argument(1), own); err != nil {
		return nil, err
	}
	for _, name := range own.names {
		one, err := newOwnSetting(object.Get(name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		own.of[name] = one
	}
	for _, name := range own.Base {
		if own.of[name] == nil {
			return nil, fmt.Errorf("base: %s is no setting of this script", name)
		}
	}

	return own, nil
}

// variable returns the environment variable of a setting. Settings of a store, which begin like its
// address, have no prefix: with REDIS_URL, also REDIS_PID.
func (o *ownSettings) variable(name string) string {
	for _, address := range o.names {
		store, _, is := strings.Cut(address, "_")
		if is && strings.HasSuffix(address, "_URL") && strings.HasPrefix(name, store+"_") {
			return name
		}
	}

	return "SWEEP_" + name
}

// read returns the values; changed has those of a duet's base.
func (o *ownSettings) read(rt *sobek.Runtime, changed map[string]string) (*sobek.Object, error) {
	values := rt.NewObject()
	for _, name := range o.names {
		one := o.of[name]
		text, place := changed[name], name+" of BASE"
		if text == "" {
			text, place = o.given(name), name
		}
		value, ok := one.usual, true
		if text != "" {
			value, ok = one.read(text)
		}
		if !ok {
			return nil, fmt.Errorf("%s must be %s, but is %q", place, one.accepts, text)
		}
		if err := values.Set(name, toValue(rt, value)); err != nil {
			return nil, err
		}
	}

	return values, nil
}

// toValue converts a value of a setting; shares keep their order.
func toValue(rt *sobek.Runtime, value any) sobek.Value {
	switch v := value.(type) {
	case nil:
		return sobek.Undefined()
	case []any:
		return rt.NewArray(v...)
	case []share:
		object := rt.NewObject()
		for _, one := range v {
			_ = object.Set(one.name, one.share)
		}

		return object
	default:
		return rt.ToValue(v)
	}
}

// readBase adds the property base, with the settings of a duet's base, if one is given: BASE_URL,
// or BASE_ and the name of an address; and BASE, such as REUSE=true,TIMEOUT=5s.
func (o *ownSettings) readBase(rt *sobek.Runtime, values *sobek.Object) error {
	if len(o.Base) == 0 {
		return nil
	}
	changed, url, list := map[string]string{}, o.given("BASE_URL"), o.given("BASE")
	var others []string
	for _, name := range o.Base {
		if !strings.HasSuffix(name, "_URL") {
			others = append(others, name)

			continue
		}
		own := o.given("BASE_" + name)
		if own != "" && url != "" {
			return fmt.Errorf("BASE_URL and BASE_%s exclude each other: set one of them", name)
		}
		if own = cmp.Or(own, url); own != "" {
			changed[name] = own
		}
	}
	last := ""
	for part := range strings.SplitSeq(list, ",") {
		if name, value, is := strings.Cut(part, "="); is && settingName.MatchString(name) {
			last = name
			changed[name] = value
		} else if last != "" {
			changed[last] += "," + part
		}
		if list != "" && !slices.Contains(others, last) {
			return fmt.Errorf("BASE must be settings with commas between them, such as %s=value, of %s, but is %q",
				others[0], strings.Join(others, ", "), list)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	base, err := o.read(rt, changed)
	if err == nil {
		err = errors.Join(base.Set("BASE_URL", url), values.Set("BASE_URL", url), values.Set("base", base))
	}

	return err
}

var settingName = regexp.MustCompile(`^[A-Z][A-Z_]*$`)

// refuseUnknown returns the error for a name that is no setting: any of -e, and those of the
// environment that look like a misspelt one.
func (o *ownSettings) refuseUnknown(flags []string, env *sobek.Object) error {
	known := o.known()
	for _, name := range slices.Concat(flags, env.Keys()) {
		short := strings.TrimPrefix(name, "SWEEP_")
		flag, usable := slices.Contains(flags, name), name == o.variable(short)
		if slices.Contains(known, short) && (usable || flag) || strings.HasPrefix(name, "K6_") ||
			k6x.IsNullish(env.Get(name)) || env.Get(name).String() == "" {
			continue
		}
		if !flag && name == short && !usable { // somebody else's
			continue
		}
		if meant := input.Nearest(short, known); meant != "" {
			if !flag {
				meant = o.variable(meant)
			}

			return fmt.Errorf("nothing in the script reads the setting %s; did you mean %s?", name, meant)
		}
		if flag {
			return fmt.Errorf("nothing in the script reads the setting %s; its settings are %s", name, strings.Join(known, ", "))
		}
	}

	return nil
}

// known lists all names that the script reads, with those of a duet's base.
func (o *ownSettings) known() []string {
	known := slices.Clone(o.names)
	for _, name := range o.Sweep {
		if o.of[name] == nil {
			known = append(known, name)
		}
	}
	if len(o.Base) > 0 {
		known = append(known, "BASE", "BASE_URL")
		for _, name := range o.Base {
			if strings.HasSuffix(name, "_URL") {
				known = append(known, "BASE_"+name)
			}
		}
	}

	return known
}
