package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

func made() []Table {
	two := 2

	return []Table{
		{
			Title: "Messages a second",
			Columns: []TableColumn{
				{Name: "work"}, {Name: "clients"}, {Name: "messages", Unit: "1/s", Better: "higher"},
				{Name: "sent", Unit: "MB/s", Better: "higher", Digits: &two},
			},
			Rows:  []TableRow{{"publish", 1.0, 1234567.8, 123.456}, {"request", 512.0, 0.5, nil}, {nil, 8.0, 99.96, 1000.0}},
			Notes: []string{"An operation of publish is a batch."},
		},
		{Title: "Ratios", Columns: []TableColumn{{Name: "ratio", Better: "lower"}}, Rows: []TableRow{}},
	}
}

func TestTablesAreInEveryFormat(t *testing.T) {
	out := rendered(t, madeUp(func(r *Report) { r.Tables = made() }))
	require.True(t, strings.HasSuffix(out[".md"], `
Messages a second

| work    | clients | messages 1/s | sent MB/s |
|---------|--------:|-------------:|----------:|
| publish |       1 |    1,234,568 |    123.46 |
| request |     512 |        0.500 |         - |
| -       |       8 |          100 |  1,000.00 |

An operation of publish is a batch.

Ratios

| ratio |
|------:|
`), out[".md"])
	rows := csvRows(t, madeUp(func(r *Report) { r.Tables = made() }))
	var cells []string
	for _, row := range rows {
		if row["table"] == "" {
			require.NotEmpty(t, row["op"])

			continue
		}
		require.Empty(t, row["op"], "it is no step")
		require.Equal(t, "stock-rollup", row["scenario"])
		cells = append(cells, fmt.Sprintf("%s %s %s=%s", row["table"], row["table_row"], row["table_column"], row["table_value"]))
	}
	require.Equal(t, []string{
		"Messages a second 1 work=publish", "Messages a second 1 clients=1", "Messages a second 1 messages 1/s=1234567.8",
		"Messages a second 1 sent MB/s=123.456", "Messages a second 2 work=request", "Messages a second 2 clients=512",
		"Messages a second 2 messages 1/s=0.5", "Messages a second 3 clients=8", "Messages a second 3 messages 1/s=99.96",
		"Messages a second 3 sent MB/s=1000",
	}, cells)
	back, err := Read([]byte(out[".json"]))
	require.NoError(t, err)
	require.Equal(t, made(), back.Tables)
}

func TestNumbersOfATable(t *testing.T) {
	none, three := 0, 3
	for _, tt := range []struct {
		cell   any
		digits *int
		want   string
	}{
		{0.0, nil, "0"},
		{-12345.0, nil, "-12,345"},
		{99.94, nil, "99.9"},
		{99.95, nil, "100"},
		{9.9994, nil, "9.999"},
		{9.9995, nil, "10.0"},
		{-0.25, nil, "-0.250"},
		{0.012345, nil, "0.0123"},
		{1234567.25, nil, "1,234,567"},
		{1e18, nil, "1e+18"},
		{0.5, &none, "0"},
		{1234.5, &three, "1,234.500"},
		{"1234", &three, "1234"},
		{nil, nil, ""},
	} {
		c := TableColumn{Name: "x", Digits: tt.digits}
		require.Equal(t, tt.want, c.Show(tt.cell), tt.cell)
	}
}

// The schema refuses them too.
func TestWrongTables(t *testing.T) {
	schema := compiledSchema(t)
	for raw, says := range map[string]string{
		`{}`:  "tables: got object, want array",
		`[1]`: "tables[0]: got number, want object",
		`[{"columns": [{"name": "a"}], "rows": []}]`:                               "tables[0]: missing property 'title'",
		`[{"title": "", "columns": [{"name": "a"}], "rows": []}]`:                  "tables[0].title: minLength: got 0, want 1",
		`[{"title": "t", "columns": [], "rows": []}]`:                              "tables[0].columns: minItems: got 0, want 1",
		`[{"title": "t", "columns": [{"name": "a"}]}]`:                             "tables[0]: missing property 'rows'",
		`[{"title": "t", "columns": [{"name": ""}], "rows": []}]`:                  "tables[0].columns[0].name: minLength: got 0, want 1",
		`[{"title": "t", "columns": ["a"], "rows": []}]`:                           "tables[0].columns[0]: got string, want object",
		`[{"title": "t", "columns": [{"name": "a", "units": "s"}], "rows": []}]`:   "tables[0].columns[0]: additional properties 'units' not allowed",
		`[{"title": "t", "columns": [{"name": "a", "better": "up"}], "rows": []}]`: "tables[0].columns[0].better: value must be one of 'higher', 'lower'",
		`[{"title": "t", "columns": [{"name": "a", "digits": 10}], "rows": []}]`:   "tables[0].columns[0].digits: maximum: got 10, want 9",
		`[{"title": "t", "columns": [{"name": "a", "digits": 0.5}], "rows": []}]`:  "tables[0].columns[0].digits: got number, want integer",
		`[{"title": "t", "columns": [{"name": "a"}], "rows": [1]}]`:                "tables[0].rows[0]: got number, want array",
		`[{"title": "t", "columns": [{"name": "a"}], "rows": [[true]]}]`:           "tables[0].rows[0][0]: got boolean, want null or number or string",
		`[{"title": "t", "columns": [{"name": "a"}], "rows": [[{}]]}]`:             "tables[0].rows[0][0]: got object, want null or number or string",
		`[{"title": "t", "columns": [{"name": "a"}], "rows": [], "notes": [1]}]`:   "tables[0].notes[0]: got number, want string",
	} {
		_, err := ReadTables([]byte(raw))
		require.ErrorContains(t, err, says, raw)
		require.NotContains(t, err.Error(), "\n")
		whole := strings.Replace(jsonOf(t, madeUp(nil)), `"steps":`, `"tables": `+raw+`, "steps":`, 1)
		_, err = Read([]byte(whole))
		require.Error(t, err, raw)
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(whole))
		require.NoError(t, err)
		require.Error(t, schema.Validate(doc), raw)
	}
	for raw, says := range map[string]string{
		`[{"title": "t", "columns": [{"name": "a"}], "rows": [["b", "c"]]}]`:                                               "tables[0].rows[0] has 2 cells, and there are 1 column",
		`[{"title": "t", "columns": [{"name": "a"}], "rows": []}, {"title": "t", "columns": [{"name": "a"}], "rows": []}]`: `there are two tables of the title "t"`,
		`[`: "unexpected EOF",
	} {
		_, err := ReadTables([]byte(raw))
		require.ErrorContains(t, err, says, raw)
	}
	none, err := ReadTables([]byte(`[]`))
	require.NoError(t, err)
	require.Empty(t, none)
}

func TestMergedTables(t *testing.T) {
	parts := mergeHalves(t)
	constant := Table{Title: "As published", Columns: []TableColumn{{Name: "ns/op"}}, Rows: []TableRow{{1.0}}}
	for i, part := range parts {
		part.Tables = []Table{constant, {Title: "Rows", Columns: []TableColumn{{Name: "rows/s"}}, Rows: []TableRow{{float64(i)}}}}
	}
	merged, _, err := Merge(parts...)
	require.NoError(t, err)
	require.Equal(t, []Table{
		constant,
		{Title: "Rows, part 0:1/2", Columns: []TableColumn{{Name: "rows/s"}}, Rows: []TableRow{{0.0}}},
		{Title: "Rows, part 1/2:1", Columns: []TableColumn{{Name: "rows/s"}}, Rows: []TableRow{{1.0}}},
	}, merged.Tables)
	require.Equal(t, "Rows", parts[0].Tables[1].Title, "the part is left as it was")
}
