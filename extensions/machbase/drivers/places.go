package drivers

import (
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// arrivalTime is the first column of a log table. The server sets it if a row does not.
const arrivalTime = "_ARRIVAL_TIME"

// columnPlaces returns the positions of the wanted columns in a table's row, or of all known ones
// if none is wanted. A missing or repeated column is an error.
func columnPlaces(table string, known, wanted []string) ([]int, *cmi.Error) {
	var places []int
	if len(wanted) == 0 {
		for i, name := range known {
			if name != arrivalTime {
				places = append(places, i)
			}
		}

		return places, nil
	}

	for _, name := range wanted {
		place := slices.IndexFunc(known, func(column string) bool { return strings.EqualFold(column, name) })
		switch {
		case place < 0:
			return nil, cmi.NewError(cmi.KindNotFound, "table '%s' has no column %q to append to", table, name)
		case slices.Contains(places, place):
			return nil, cmi.NewError(cmi.KindUsage, "appender: column %q is listed twice", name)
		}
		places = append(places, place)
	}

	return places, nil
}
