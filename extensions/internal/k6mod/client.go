package k6mod

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// ParseClient reads what `new Client` takes, which is an address and options, or options alone: it
// fills the options, a pointer to a struct, and returns what config makes of them. The address is
// "" when it is not there; what names it in errors, such as "an address". All errors are thrown. It
// is for the init context, and does not connect.
func ParseClient[C any](
	m *Module, call sobek.ConstructorCall, what string, options any, config func(address string) (C, error),
) C {
	address, rest := "", call.Argument(0)
	if text, ok := k6glue.Text(rest); ok || k6glue.IsNullish(rest) {
		address, rest = text, call.Argument(1)
	} else if !k6glue.IsNullish(call.Argument(1)) {
		m.Misuse("new Client takes %s and options, or options alone", what)
	}
	if err := k6glue.Options(rest, options); err != nil {
		m.Misuse("new Client: %s", err)
	}
	c, err := config(address)
	if err != nil {
		m.Misuse("new Client: %s", err)
	}

	return c
}

// Timeouts are the options timeout and connectTimeout, to be embedded in a Client's options.
type Timeouts struct {
	Timeout        types.NullDuration `json:"timeout"`
	ConnectTimeout types.NullDuration `json:"connectTimeout"`
}

// Override puts the options that are there in the place of their defaults, and checks the result.
func (t *Timeouts) Override(timeout, connectTimeout *time.Duration) error {
	for _, one := range []struct {
		name  string
		given types.NullDuration
		into  *time.Duration
	}{{"timeout", t.Timeout, timeout}, {"connectTimeout", t.ConnectTimeout, connectTimeout}} {
		if one.given.Valid {
			*one.into = one.given.TimeDuration()
		}
		if *one.into <= 0 {
			return fmt.Errorf("%s must be more than 0, not %s", one.name, *one.into)
		}
	}

	return nil
}

// OneOf checks an option that is a word; "" stands for its default.
func OneOf(name, value string, words ...string) error {
	if value == "" || slices.Contains(words, value) {
		return nil
	}

	return fmt.Errorf("%s must be %s, not %q", name, listed(words), value)
}

// listed is 'a', 'b' or 'c'.
func listed(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return "'" + words[0] + "'"
	}

	return "'" + strings.Join(words[:last], "', '") + "' or '" + words[last] + "'"
}
