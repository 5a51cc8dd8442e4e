package testrun

// EndTest does what is left to be done when k6 has ended all scenarios.
func (r *Results) EndTest() { r.testEnd.run() }
