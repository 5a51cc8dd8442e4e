// Package rawsock reads and writes sockets by raw system calls. Package syscall announces each call
// to the Go runtime, which may then wake a monitor thread; that can cost clients of a busy server a
// quarter of their processor time. Sockets of package net never block, so the announcement is not
// needed.
package rawsock
