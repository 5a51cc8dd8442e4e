package testrun

// EndTest does what follows the end of all scenarios.
func (r *Results) EndTest() { r.testEnd.run() }
