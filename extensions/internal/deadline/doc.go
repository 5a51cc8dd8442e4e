// Package deadline ends calls that take too long, and those whose context ends. Most calls end in
// time, and cost it no timer, no registration and no allocation: a timer that is due looks when the
// call at hand has to be over, and goes on until then; a context is watched until another one
// comes.
//
// A Watch interrupts what a call uses, such as a connection. Contexts makes contexts for calls of
// libraries that take one. Both are for calls that follow one another.
package deadline
