package sql

import (
	"github.com/grafana/sobek"
	xk6sql "github.com/grafana/xk6-sql/sql"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"
)

// registerModule makes a driver of database/sql a module for scripts, k6/x/sql/driver/NAME. xk6-sql
// has a function for this, but the default export of its module is a bare symbol: k6 keeps the
// names of a module's exports when its first VU imports it and, where there are none, once more for
// each VU, which is a data race between them (k6 v2.2.0, js/modules/gomodule.go).
func registerModule(name string) {
	modules.Register("k6/x/sql/driver/"+name, &driverModule{name: name, id: xk6sql.RegisterDriver(name)})
}

type driverModule struct {
	name string
	id   *sobek.Symbol
}

// NewModuleInstance returns a module that is the driver's symbol, as an object with a name.
func (m *driverModule) NewModuleInstance(vu modules.VU) modules.Instance {
	id := m.id.ToObject(vu.Runtime())
	if err := id.Set("name", m.name); err != nil {
		common.Throw(vu.Runtime(), err)
	}

	return driverInstance{id}
}

type driverInstance struct{ id *sobek.Object }

func (d driverInstance) Exports() modules.Exports { return modules.Exports{Default: d.id} }
