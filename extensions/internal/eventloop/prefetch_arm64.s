//go:build linux && !race && !portable

#include "textflag.h"

// func prefetch(from uintptr, lines int)
TEXT ·prefetch(SB), NOSPLIT, $0-16
	MOVD from+0(FP), R0
	MOVD lines+8(FP), R1

next:
	PRFM (R0), PLDL1KEEP
	ADD  $64, R0
	SUBS $1, R1
	BGT  next
	RET

// func stack() (goroutine, top, bottom uintptr)
// The runtime's notes begin with where the stack is: see prefetch_amd64.s.
TEXT ·stack(SB), NOSPLIT, $0-24
	MOVD g, goroutine+0(FP)
	MOVD 8(g), R1
	MOVD $goroutine+0(FP), R0
	MOVD R0, top+8(FP)
	MOVD R1, bottom+16(FP)
	RET
