package jsmodule

import (
	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

type settingOptions struct {
	// Environment is the environment variable; "": SWEEP_ and the setting's name.
	Environment string `json:"environment"`
}

// setting is sweep.setting(name, options), declared in index.d.ts.
func (m *module) setting(call sobek.FunctionCall) sobek.Value {
	rt := m.vu.Runtime()
	name, ok := k6glue.Text(call.Argument(0))
	if !ok || name == "" {
		k6glue.ThrowType(rt, "sweep.setting(name) takes the name of a setting, not %s", k6glue.Show(call.Argument(0)))
	}
	var o settingOptions
	if err := k6glue.Options(call.Argument(1), &o); err != nil {
		k6glue.ThrowType(rt, "sweep.setting: %s", err.Error())
	}
	m.settings().asked.Store(name, true)
	value, is := k6glue.Setting(m.env, m.test, name, o.Environment)
	if !is {
		return sobek.Undefined()
	}

	return rt.ToValue(value)
}
