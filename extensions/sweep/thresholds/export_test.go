package thresholds

// NotSentInSweep is for the tests in package thresholds_test.
const NotSentInSweep = notSentInSweep
