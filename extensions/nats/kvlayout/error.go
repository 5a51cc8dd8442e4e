package kvlayout

import (
	"errors"
	"fmt"
)

// Errors that an Error may wrap, besides the errors of nats.go and of contexts.
var (
	ErrNotFound   = errors.New("there is no such key")
	ErrEmpty      = errors.New("the bucket has no keys")
	ErrIncomplete = errors.New("the connection broke before all keys had arrived")
	ErrKey        = errors.New("a key must not be empty")
	ErrName       = errors.New("a bucket's name may only have letters, digits, - and _")
	ErrMetadata   = errors.New("metadata that cannot be stored")
	ErrValue      = errors.New("the value does not fit this layout")
)

// Error is the error of a Store's operation.
type Error struct {
	Op     string // put, get, delete, list, open or drop
	Bucket string
	Key    string // not encoded; empty for operations on a bucket
	Err    error
}

// Error names the operation, the record and the reason.
func (e *Error) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("%s bucket %q: %v", e.Op, e.Bucket, e.Err)
	}

	return fmt.Sprintf("%s key %q in bucket %q: %v", e.Op, e.Key, e.Bucket, e.Err)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }
