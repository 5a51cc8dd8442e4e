// Package k6x knows k6's ways, for modules that talk to a server and for the sweep itself: exports,
// errors, options and arguments, metrics and tags, methods in a blocking and a promise form, the
// session that a VU shares with its executor, and the progress bar.
//
// [New] builds a module from a [Definition]. k6 calls Exports for each VU in the init context with
// the VU's [Module], which the module embeds. State that VUs share is captured by Exports. A module
// adds its client, its commands and a wire package that does not import k6.
//
// Start with the module package resp, the smallest one with client.run. Package memcached shows a
// wide API whose methods, pipelines and metrics come from one table. Nothing on the path of an
// operation allocates, locks, or calls through more than one interface.
package k6x
