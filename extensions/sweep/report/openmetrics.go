package report

import (
	"fmt"
	"strconv"
	"strings"
)

// OpenMetrics renders the figures of each step in the text format of OpenMetrics 1.0, for GitLab's
// metrics report and Prometheus tools. It uses the names of the live metrics, and medians of
// repeats.
func (r *Report) OpenMetrics() string {
	var b strings.Builder
	groups := r.Groups()
	for i := range Figures {
		f := &Figures[i]
		fmt.Fprintf(&b, "# TYPE sweep_%s gauge\n", f.Key)
		unit := "Milliseconds, of successful operations"
		if f.Rate {
			unit = "Successful operations a second"
		}
		fmt.Fprintf(&b, "# HELP sweep_%s %s: %s.\n", f.Key, unit, f.Name)
		for j := range groups {
			done := groups[j].Succeeded()
			if len(done.Steps) == 0 {
				continue
			}
			fmt.Fprintf(&b, "sweep_%s{%s} %s\n", f.Key, labels(r.Scenario, &groups[j].Key), openNumber(Median(done.Values(f.Of))))
		}
	}
	b.WriteString("# TYPE sweep_failed_operations gauge\n# HELP sweep_failed_operations Operations that failed, of all repeats.\n")
	for j := range groups {
		failed := uint64(0)
		for _, s := range groups[j].Steps {
			failed += s.Failed
		}
		fmt.Fprintf(&b, "sweep_failed_operations{%s} %d\n", labels(r.Scenario, &groups[j].Key), failed)
	}
	b.WriteString("# EOF\n")

	return b.String()
}

func openNumber(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }

func labels(scenario string, k *Key) string {
	all := []string{label("scenario", scenario), label("op", k.Op), label("clients", strconv.Itoa(k.Clients))}
	if k.Rate != 0 {
		all = append(all, label("rate", openNumber(k.Rate)))
	}
	if k.Variant != "" {
		all = append(all, label("variant", k.Variant))
	}

	return strings.Join(all, ",")
}

func label(name, value string) string {
	return name + `="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(value, "\uFFFD")) + `"`
}
