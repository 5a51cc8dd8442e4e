package sql

import (
	"database/sql/driver"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"modernc.org/sqlite"
)

// busyTimeout is how long a statement waits for a lock, in milliseconds, as in
// github.com/mattn/go-sqlite3.
const busyTimeout = 5000

// sqliteConnector returns the connector for a file, whose name may have parameters of
// modernc.org/sqlite. A statement waits 5 s for a lock, or as _pragma=busy_timeout(MS) says, or
// _busy_timeout=MS or _timeout=MS as in go-sqlite3.
func sqliteConnector(name string) (driver.Connector, error) {
	file, parameters, _ := strings.Cut(name, "?")
	query, err := url.ParseQuery(parameters)
	if err != nil {
		return nil, fmt.Errorf("the parameters of the SQLite file %s are malformed", file)
	}
	wait := busyTimeout
	for _, key := range []string{"_busy_timeout", "_timeout"} {
		if given := query.Get(key); given != "" {
			if wait, err = strconv.Atoi(given); err != nil || wait < 0 {
				return nil, fmt.Errorf("the parameter %s of the SQLite file %s must be a number of milliseconds from 0, not %q", key, file, given)
			}
		}
		query.Del(key)
	}
	for _, pragma := range query["_pragma"] {
		if strings.HasPrefix(strings.TrimSpace(pragma), "busy_timeout") {
			return sqlite.NewConnector(name)
		}
	}
	query.Add("_pragma", fmt.Sprintf("busy_timeout(%d)", wait))

	return sqlite.NewConnector(file + "?" + query.Encode())
}
