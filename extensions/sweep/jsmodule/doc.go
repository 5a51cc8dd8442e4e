// Package jsmodule is the JavaScript module k6/x/sweep, with one file for each function. index.d.ts
// in the parent folder declares them.
package jsmodule
