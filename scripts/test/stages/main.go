// Command stages runs the stages of `make test`, each the target test-STAGE of the Makefile:
//
//	stages run STAGE... [-- STAGE...]   runs stages, then failures again, alone
//	stages go FLAG... -- PACKAGE...     runs go test in a stage, and records each test's outcome
//
// A test that fails first and passes alone is flaky: it is reported, but does not fail the run. A
// data race, a build failure and a package that hangs always fail the run.
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
