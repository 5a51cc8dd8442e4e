// Package official holds the common parts of the drivers on machgo and machcli. Both clients
// recognise statements in the same limited way, and report errors as text.
package official
