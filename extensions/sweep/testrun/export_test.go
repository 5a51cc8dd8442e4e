package testrun

// EndTest ends the test, after all scenarios.
func (r *Results) EndTest() { r.testEnd.run() }
