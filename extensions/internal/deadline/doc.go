// Package deadline interrupts calls that exceed a timeout or whose context ends. A call that ends
// in time allocates nothing and sets no timer: one timer and one context registration serve
// consecutive calls.
//
// A Watch interrupts what a call uses, such as a connection. Contexts creates contexts for
// libraries that take one.
package deadline
