package workload

// Keys returns the workload's keys.
func (w *Workload) Keys() *Keys { return &w.options.Keys }

// Values returns the workload's values.
func (w *Workload) Values() *Values { return w.values }

// Size returns the size of key i's value in bytes.
func (v *Values) Size(i int) int {
	_, rest := v.parts(i)

	return rest.size
}

// Config returns the configuration.
func (b *Benchmark) Config() *RateConfig { return &b.config }
