package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// Annotations renders the gates that did not hold as GitHub workflow commands: errors, and a
// warning for an undecided gate that passes.
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
func Annotations(verdicts []Verdict, file string) string {
	// These characters would end a property.
	text := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	var b strings.Builder
	for i := range verdicts {
		v := &verdicts[i]
		if v.Outcome == stats.Held {
			continue
		}
		level := "error"
		if v.Held {
			level = "warning"
		}
		fmt.Fprintf(&b, "::%s file=%s,title=%s::%s\n", level, property.Replace(file),
			property.Replace(string(v.Outcome)+": "+v.Gate), text.Replace(v.Explained()))
	}

	return b.String()
}

// codeQualityIssue is an entry of GitLab's code quality report.
// https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
type codeQualityIssue struct {
	Description string              `json:"description"`
	CheckName   string              `json:"check_name"`
	Fingerprint string              `json:"fingerprint"`
	Severity    string              `json:"severity"`
	Location    codeQualityLocation `json:"location"`
}

type codeQualityLocation struct {
	Path  string           `json:"path"`
	Lines codeQualityLines `json:"lines"`
}

type codeQualityLines struct {
	Begin int `json:"begin"`
}

// CodeQuality renders the gates that did not hold as a GitLab code quality report. The fingerprint
// hashes the file and the gate, so that GitLab recognises a gate in later reports.
func CodeQuality(verdicts []Verdict, file string) ([]byte, error) {
	issues := []codeQualityIssue{}
	for i := range verdicts {
		v := &verdicts[i]
		if v.Outcome == stats.Held {
			continue
		}
		severity := "major"
		if v.Held {
			severity = "info"
		}
		sum := sha256.Sum256([]byte(file + "\n" + v.Gate))
		issues = append(issues, codeQualityIssue{
			Description: string(v.Outcome) + ": " + v.Gate + ": " + v.Explained(), CheckName: "sweep-gate",
			Fingerprint: hex.EncodeToString(sum[:]), Severity: severity,
			Location: codeQualityLocation{Path: file, Lines: codeQualityLines{Begin: 1}},
		})
	}
	raw, err := json.MarshalIndent(issues, "", "  ")

	return append(raw, '\n'), err
}
