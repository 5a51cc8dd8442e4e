package main

import (
	"bytes"
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/workload"
)

// As many keys as k6 is given, with values of the same size.
const (
	count = 10_000
	size  = 100 // bytes
)

// entries are the keys, in the ways in which the libraries take them, and their values. They are
// only read.
type entries struct {
	keys   [][]byte
	names  []string
	values [][]byte
}

func newEntries() *entries {
	named := workload.Defaults().Keys
	var e entries
	for i := range count {
		key := named.Append(nil, i)
		e.keys = append(e.keys, key)
		e.names = append(e.names, string(key))
		e.values = append(e.values, bytes.Repeat(key, size/len(key)+1)[:size])
	}
	return &e
}

// check returns an error unless value is that of key i.
func (e *entries) check(i int, value []byte) error {
	if !bytes.Equal(value, e.values[i]) {
		return fmt.Errorf("key %s has %d bytes that are not its value", e.keys[i], len(value))
	}
	return nil
}
