package page_test

import (
	"fmt"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report/page"
)

// Render makes one of the files of a run.
func ExampleRender() {
	r := &report.Report{Schema: report.Schema, Scenario: "rollup", Target: map[string]any{}, Params: map[string]any{}, Steps: []report.Step{}}
	html, err := page.Render(r, "html")
	fmt.Println(strings.Contains(string(html), "<title>rollup"), err)
	// Output: true <nil>
}
