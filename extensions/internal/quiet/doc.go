// Package quiet reads and writes sockets without telling the Go runtime that a call may take long.
//
// Package syscall tells it before every call. When the whole process was waiting before, which a
// client of a busy server often does, that wakes the runtime's thread which looks after such calls,
// and it looks every 20 us at first: a quarter of the processor time of 64 clients of Machbase.
// Sockets of package net never block, so that there is nothing to look after.
package quiet
