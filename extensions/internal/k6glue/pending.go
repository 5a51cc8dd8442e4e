package k6glue

import (
	"reflect"
	"sync"
	"unsafe"

	"go.k6.io/k6/v2/js/modules"
)

// Pending counts what a VU's event loop has still to do: callbacks of promises and timers that have
// not been called.
type Pending struct {
	lock       *sync.Mutex
	registered *int
	queue      *[]func() error
}

// NewPending returns the counter of a VU's event loop. k6 shows nobody that number: it is read from
// the loop's own fields. Where another k6 keeps it elsewhere, the counter stays at 0.
func NewPending(vu modules.VU) *Pending {
	value := reflect.ValueOf(vu)
	for _, name := range []string{"", "eventLoop"} {
		if value.IsValid() && name != "" {
			value = value.FieldByName(name)
		}
		if !value.IsValid() || value.Kind() != reflect.Pointer || value.Elem().Kind() != reflect.Struct {
			return &Pending{}
		}
		value = value.Elem()
	}
	lock, isLock := fieldOf[sync.Mutex](value, "lock")
	registered, isCount := fieldOf[int](value, "registeredCallbacks")
	queue, isQueue := fieldOf[[]func() error](value, "queue")
	if !isLock || !isCount || !isQueue {
		return &Pending{}
	}

	return &Pending{lock: lock, registered: registered, queue: queue}
}

// fieldOf is the field of a struct, when it has one of that name and type.
func fieldOf[T any](value reflect.Value, name string) (field *T, has bool) {
	f := value.FieldByName(name)
	if !f.IsValid() || !f.CanAddr() || f.Type() != reflect.TypeFor[T]() {
		return nil, false
	}

	return (*T)(unsafe.Pointer(f.UnsafeAddr())), true //nolint:gosec // there is no other way into a field that is not exported
}

// Count returns how many callbacks are still to come. While a call of JavaScript lasts it only
// grows.
func (p *Pending) Count() int {
	if p.lock == nil {
		return 0
	}
	p.lock.Lock()
	defer p.lock.Unlock()

	return *p.registered + len(*p.queue)
}
