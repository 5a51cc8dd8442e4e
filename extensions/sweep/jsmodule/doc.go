// Package jsmodule is the JavaScript module k6/x/sweep, one file for each of its functions.
// index.d.ts in the folder above declares them.
package jsmodule
