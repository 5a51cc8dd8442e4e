// Command stages runs the stages of `make test`, each the target test-STAGE of the Makefile:
//
//	stages run STAGE... [-- STAGE...]   runs stages, and what failed once more, alone
//	stages go FLAG... -- PACKAGE...     runs go test in a stage, and records each test's outcome
//
// A test that fails at first and passes when nothing else runs is flaky: it is reported and fails
// nothing. A data race, a build failure and a package that hangs always fail the run.
package main

import (
	"fmt"
	"os"
)

func main() {
	code := 2
	switch {
	case len(os.Args) > 2 && os.Args[1] == "run":
		code = runStages(os.Args[2:])
	case len(os.Args) > 2 && os.Args[1] == "go":
		code = goTest(os.Args[2:])
	default:
		fmt.Fprintln(os.Stderr, "it is: stages run STAGE... [-- STAGE...], or stages go FLAG... -- PACKAGE...")
	}
	os.Exit(code)
}
