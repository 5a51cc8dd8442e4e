package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Table is a table that a script made from the figures.
type Table struct {
	// Title is unique in the report.
	Title   string        `json:"title"`
	Columns []TableColumn `json:"columns"`
	Rows    []TableRow    `json:"rows"`
	Notes   []string      `json:"notes,omitempty"`
}

// TableColumn describes the cells of a column.
type TableColumn struct {
	Name string `json:"name"`
	// Unit of the numbers, such as "MB/s"; empty for texts.
	Unit string `json:"unit,omitempty"`
	// Better is "higher", "lower" or empty.
	Better string `json:"better,omitempty"`
	// Digits is the number of decimals; nil: at least three significant digits.
	Digits *int `json:"digits,omitempty"`
}

// TableRow has a cell for each column: a string, a float64, or nil.
type TableRow []any

// ReadTables reads and validates tables in JSON. Errors are one line.
func ReadTables(raw []byte) ([]Table, error) {
	if err := checkValues(compiledTables(), raw, tablesKey); err != nil {
		return nil, err
	}
	var tables []Table
	if err := json.Unmarshal(raw, &tables); err != nil {
		return nil, errors.New(oneLineOf(err.Error()))
	}

	return tables, validateTables(tables)
}

const tablesKey = "tables"

func validateTables(tables []Table) error {
	for i, t := range tables {
		if slices.ContainsFunc(tables[:i], func(other Table) bool { return other.Title == t.Title }) {
			return fmt.Errorf("there are two %s of the title %q", tablesKey, t.Title)
		}
		for j, row := range t.Rows {
			if len(row) != len(t.Columns) {
				return fmt.Errorf("%s[%d].rows[%d] has %s, and there are %s",
					tablesKey, i, j, Plural(len(row), "cell"), Plural(len(t.Columns), "column"))
			}
		}
	}

	return nil
}

// Heading returns name and unit.
func (c *TableColumn) Heading() string { return strings.TrimSpace(c.Name + " " + c.Unit) }

// Show formats a cell; "" for nil.
func (c *TableColumn) Show(cell any) string {
	switch v := cell.(type) {
	case string:
		return v
	case float64:
		if c.Digits != nil {
			return decimals(v, *c.Digits)
		}

		return ThreeDigits(v)
	}

	return ""
}

// IsText reports whether a column has texts, which are aligned left.
func (t *Table) IsText(column int) bool {
	return slices.ContainsFunc(t.Rows, func(row TableRow) bool {
		_, text := row[column].(string)

		return text
	})
}

// ThreeDigits formats a number with at least three digits. Integers are not changed.
func ThreeDigits(v float64) string {
	switch size := math.Abs(v); {
	case v == math.Trunc(v), size >= 99.95:
		return decimals(v, 0)
	case size >= 9.9995:
		return decimals(v, 1)
	case size >= 0.1:
		return decimals(v, 3)
	}

	return strconv.FormatFloat(v, 'g', 3, 64)
}

func decimals(v float64, digits int) string {
	const largest = 1e15 // larger integers may not be exact
	if math.Abs(v) >= largest {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(v, 'f', digits, 64), ".")
	if fraction != "" {
		fraction = "." + fraction
	}

	return commas(whole) + fraction
}

func (r *Report) writeTables(b *strings.Builder) {
	for _, t := range r.AllTables() {
		columns := make([]column, len(t.Columns))
		for j := range t.Columns {
			c := &t.Columns[j]
			columns[j] = column{Escape(c.Heading()), t.IsText(j), func(row int) string {
				if t.Rows[row][j] == nil {
					return "-"
				}

				return c.Show(t.Rows[row][j])
			}}
		}
		b.WriteString("\n" + Escape(t.Title) + "\n\n")
		writeTable(b, columns, len(t.Rows))
		for _, note := range t.Notes {
			b.WriteString("\n" + Escape(note) + "\n")
		}
	}
}

// mergedTables returns the tables of all parts. Tables that differ between parts get the part's
// number in their title.
func mergedTables(parts []*Report) []Table {
	var merged []Table
	for _, part := range parts {
		for _, t := range part.Tables {
			if !sameInAll(parts, &t) {
				t.Title += fmt.Sprintf(", part %v", part.Params[segmentParam])
			} else if part != parts[0] {
				continue
			}
			merged = append(merged, t)
		}
	}

	return merged
}

func sameInAll(parts []*Report, t *Table) bool {
	return !slices.ContainsFunc(parts, func(part *Report) bool {
		return !slices.ContainsFunc(part.Tables, func(other Table) bool { return reflect.DeepEqual(*t, other) })
	})
}
