//go:build linux && !race && !portable

#include "textflag.h"

// func prefetch(from uintptr, lines int)
TEXT ·prefetch(SB), NOSPLIT, $0-16
	MOVQ from+0(FP), AX
	MOVQ lines+8(FP), CX

next:
	PREFETCHT0 (AX)
	ADDQ       $64, AX
	DECQ       CX
	JGT        next
	RET

// func stack() (goroutine, top, bottom uintptr)
// The runtime's notes begin with the lowest address of the stack, and then its highest, from which
// it grows down.
TEXT ·stack(SB), NOSPLIT, $0-24
	MOVQ (TLS), AX
	MOVQ AX, goroutine+0(FP)
	MOVQ 8(AX), BX
	LEAQ goroutine+0(FP), AX
	MOVQ AX, top+8(FP)
	MOVQ BX, bottom+16(FP)
	RET
