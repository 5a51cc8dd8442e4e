// Package clock is the monotonic clock that times operations. On Windows its resolution is a
// microsecond; package time steps by 0.5 to 15 ms there.
//
// A Watch interrupts what a call uses, such as a connection, when the call exceeds its timeout or
// its context ends. Contexts creates contexts for libraries that take one. A call that ends in time
// allocates nothing and sets no timer: one timer and one context registration serve consecutive
// calls.
package clock

import "time"

// Since returns the time since begin, a value of Now.
func Since(begin time.Duration) time.Duration { return Now() - begin }
