package testutil

import (
	"runtime"
	"strings"
)

// Goroutines counts the goroutines whose stack, or whose creator, contains the named function.
func Goroutines(name string) int {
	buffer := make([]byte, 1<<20)
	count := 0
	for _, stack := range strings.Split(string(buffer[:runtime.Stack(buffer, true)]), "\n\n") {
		if strings.Contains(stack, name) {
			count++
		}
	}

	return count
}
