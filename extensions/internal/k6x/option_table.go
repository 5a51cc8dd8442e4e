package k6x

import (
	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
)

// Options is a table of a method's options, to read an object into a T. Use it where
// ReadOptions, which goes through JSON, is too slow or cannot represent a value. Errors list
// names in the table's order.
type Options[T any] []Option[T]

// Option is an entry of Options.
type Option[T any] struct {
	Name string
	// Read reads a value other than undefined and null. method names the method in errors.
	Read func(into *T, method string, value sobek.Value) error
}

// Into returns an option that is stored in a field.
func Into[T, V any](
	name string, field func(*T) *V, read func(method, what string, value sobek.Value) (V, error),
) Option[T] {
	what := "option " + name

	return Option[T]{Name: name, Read: func(into *T, method string, value sobek.Value) (err error) {
		*field(into), err = read(method, what, value)

		return err
	}}
}

// Read reads an object of options. Undefined and null change nothing. The error for an unknown name
// lists the known ones.
func (all Options[T]) Read(method string, value sobek.Value, into *T) error {
	if IsNullish(value) {
		return nil
	}
	object, ok := value.(*sobek.Object)
	if !ok || object.ClassName() != "Object" {
		return Misuse("%s: options must be an object%s, not %s%s", method, all.example(value), ShowNoURL(value), elsewhere(method))
	}
	for _, name := range object.Keys() {
		option := all.named(name)
		if option == nil {
			return Misuse("%s: %s%s", method, input.Unknown("", name, all.known()), elsewhere(method))
		}
		given := object.Get(name)
		if IsNullish(given) {
			continue
		}
		if err := option.Read(into, method, given); err != nil {
			return err
		}
	}

	return nil
}

// example shows how to pass a time that the script passed without an object.
func (all Options[T]) example(value sobek.Value) string {
	switch Scalar(value).(type) {
	case int64, float64:
		if all.named("timeout") != nil {
			return ", such as { timeout: '1s' }"
		}
	}

	return ""
}

func elsewhere(method string) string {
	if method != "connect" {
		return ""
	}

	return "; pass the address and its options to new Client(url, options)"
}

func (all Options[T]) named(name string) *Option[T] {
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}

	return nil
}

func (all Options[T]) known() []string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}

	return names
}
