// Package fault says why operations fail: what a script has thrown, what was cut off, what is
// logged of it, and when a sweep ends because none of its operations can succeed.
package fault
