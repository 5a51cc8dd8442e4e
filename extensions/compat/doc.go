// Package k6 is what makes k6/x/sql work in a binary of k6 v2: an alias of k6 v1 that leads to k6
// v2.
//
// xk6-sql v1.0.5 registers its modules with go.k6.io/k6, which is k6 v1. A binary of k6 v2 that
// includes it builds without a warning, but the modules are then in the registry of a k6 v1 that
// never runs: scripts cannot import them. This module takes the place of go.k6.io/k6 and has of it
// only what xk6-sql uses, as names of the same things in go.k6.io/k6/v2: a module that registers
// here is registered with the k6 that runs.
//
// It is used by the modules that build a binary, and by nothing else, as
//
//	replace go.k6.io/k6 => ../../compat                  in the binary's go.mod
//	xk6 build --replace go.k6.io/k6=./extensions/compat  through xk6
//
// and goes away, with those two, as soon as a release of xk6-sql that imports go.k6.io/k6/v2 can be
// had. Other extensions that were written for k6 v1 do not build with it, unless they use no more
// of k6 than xk6-sql does: that is on purpose, as an error of the compiler is better than a module
// that is not there.
package k6
