package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// effort is how much is measured.
type effort struct {
	rounds, operations int
	clients            []int // the only numbers of clients; all where there are none
}

func newEffort(rounds, operations int, clients string) (effort, error) {
	e := effort{rounds: rounds, operations: operations}
	if clients == "" {
		return e, nil
	}
	for text := range strings.SplitSeq(clients, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return e, fmt.Errorf("-clients is %q: it takes numbers of clients with commas, such as 64,512", clients)
		}
		e.clients = append(e.clients, n)
	}

	return e, nil
}

// of are those of the numbers of clients that are measured.
func (e effort) of(all ...int) []int {
	if e.clients == nil {
		return all
	}

	return slices.DeleteFunc(all, func(n int) bool { return !slices.Contains(e.clients, n) })
}
