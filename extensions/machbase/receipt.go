package machbase

import (
	"strconv"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

const otherReason = "other"

func (a *appender) count(receipt cmi.Receipt) {
	a.Add(a.accepted, float64(receipt.Accepted-a.counted.Accepted))
	rejected := reasonsOf(receipt)
	for reason, rows := range reasonsOf(a.counted) {
		rejected[reason] -= rows
	}
	for reason, rows := range rejected {
		series, known := a.rejected[reason]
		if !known {
			series = a.Counter(metricRejected, [2]string{"reason", reason})
			a.rejected[reason] = series
		}
		a.Add(series, float64(rows))
	}
	a.Emit()
	a.counted = receipt
}

func reasonsOf(receipt cmi.Receipt) map[string]int64 {
	rows := map[string]int64{}
	for _, reason := range receipt.Reasons {
		rows[strconv.Itoa(reason.Code)] += reason.Rows
	}
	if receipt.Other > 0 {
		rows[otherReason] = receipt.Other
	}

	return rows
}

func receiptToJS(rt *sobek.Runtime, receipt cmi.Receipt) sobek.Value {
	reasons := make([]any, len(receipt.Reasons))
	for i, reason := range receipt.Reasons {
		reasons[i] = map[string]any{"code": reason.Code, "message": reason.Message, "rows": reason.Rows}
	}

	return k6x.Plain(rt, map[string]any{
		"accepted": receipt.Accepted, "rejected": receipt.Rejected, "reasons": reasons, otherReason: receipt.Other,
	})
}
