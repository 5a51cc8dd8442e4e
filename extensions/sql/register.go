package sql

import (
	"database/sql"

	"github.com/grafana/sobek"
	xk6sql "github.com/grafana/xk6-sql/sql"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/sqlmachbase"
)

func init() { //nolint:gochecknoinits // k6 and database/sql register in init
	modules.Register(ImportPath, New())
	register("sqlite3", wholeDriver{open: sqliteConnector, local: true})
	register(driverPostgres, wholeDriver{open: postgresConnector})
	register("machbase", wholeDriver{open: sqlmachbase.NewConnector})
}

func register(name string, driver wholeDriver) {
	sql.Register(name, driver)
	registerModule(name)
}

// registerModule makes a driver of database/sql the module k6/x/sql/driver/NAME. xk6-sql's own
// function exports a bare symbol. k6 v2.2.0 (js/modules/gomodule.go) has a data race between VUs
// for modules whose exports have no names.
func registerModule(name string) {
	modules.Register("k6/x/sql/driver/"+name, &driverModule{name: name, id: xk6sql.RegisterDriver(name)})
}

type driverModule struct {
	name string
	id   *sobek.Symbol
}

// NewModuleInstance returns a module whose exports are the driver's symbol and a name.
func (m *driverModule) NewModuleInstance(vu modules.VU) modules.Instance {
	id := m.id.ToObject(vu.Runtime())
	if err := id.Set("name", m.name); err != nil {
		common.Throw(vu.Runtime(), err)
	}

	return driverInstance{id}
}

type driverInstance struct{ id *sobek.Object }

func (d driverInstance) Exports() modules.Exports { return modules.Exports{Default: d.id} }
