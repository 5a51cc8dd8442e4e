package k6mod

import (
	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// Options are those that a method takes in an object, which it reads into a T. They are for calls
// that must not cost what k6glue.Options costs, which goes through JSON, and for values that JSON
// has not. One table serves all calls. Errors list the names in the table's order.
type Options[T any] []Option[T]

// Option is one of them.
type Option[T any] struct {
	Name string
	// Read reads the value, which is neither undefined nor null. The method is for its error.
	Read func(into *T, method string, value sobek.Value) error
}

// Into is an option that is read into a field.
func Into[T, V any](
	name string, field func(*T) *V, read func(method, what string, value sobek.Value) (V, error),
) Option[T] {
	what := "option " + name

	return Option[T]{Name: name, Read: func(into *T, method string, value sobek.Value) (err error) {
		*field(into), err = read(method, what, value)

		return err
	}}
}

// Read reads the options. What is undefined or null leaves the T as it is. An unknown name is an
// error that has the known ones.
func (all Options[T]) Read(method string, value sobek.Value, into *T) error {
	if k6glue.IsNullish(value) {
		return nil
	}
	object, ok := value.(*sobek.Object)
	if !ok || object.ClassName() != "Object" {
		return Misuse("%s: options must be an object%s, not %s%s", method, all.example(value), k6glue.ShowNoURL(value), elsewhere(method))
	}
	for _, name := range object.Keys() {
		option := all.named(name)
		if option == nil {
			return Misuse("%s: %s%s", method, k6glue.UnknownOption("", name, all.known()), elsewhere(method))
		}
		given := object.Get(name)
		if k6glue.IsNullish(given) {
			continue
		}
		if err := option.Read(into, method, given); err != nil {
			return err
		}
	}

	return nil
}

// example is for those who pass a time alone, as with other libraries.
func (all Options[T]) example(value sobek.Value) string {
	switch k6glue.Scalar(value).(type) {
	case int64, float64:
		if all.named("timeout") != nil {
			return ", such as { timeout: '1s' }"
		}
	}

	return ""
}

// elsewhere tells those who connect as with k6/net/grpc where a server is named.
func elsewhere(method string) string {
	if method != "connect" {
		return ""
	}

	return "; where and how to connect is said to new Client(url, options)"
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
