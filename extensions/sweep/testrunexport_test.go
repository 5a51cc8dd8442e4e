package sweep

// EndTest does what is left to be done when k6 has ended all scenarios.
func (r *results) EndTest() { r.testEnd.run() }
