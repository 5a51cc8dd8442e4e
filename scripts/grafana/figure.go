package main

// figure is something that is measured.
type figure int

const (
	opsPerSecond figure = iota
	p50
	p99
	p999
	longest
	failed
	hitRate
	sent
	received
	complete
)

// name is what legends and the heads of tables say.
func (f figure) name() string {
	return [...]string{"ops/s", "p50", "p99", "p99.9", "max", "failed", "hit rate", "sent", "received", "complete"}[f]
}

// unit is the name that Grafana has for it; "" is none.
func (f figure) unit() string {
	return [...]string{"ops", "ms", "ms", "ms", "ms", "ops", "percentunit", "Bps", "Bps", ""}[f]
}

// unitOfSteps is that of a whole step, in which failed operations are counted.
func (f figure) unitOfSteps() string {
	if f == failed {
		return "none"
	}

	return f.unit()
}
