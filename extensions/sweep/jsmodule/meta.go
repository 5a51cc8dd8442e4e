package jsmodule

import (
	"fmt"
	"math/big"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/lib/fsext"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/files"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/netutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// meta is sweep.meta(facts), declared in index.d.ts. It removes secrets from addresses.
func (m *module) meta(call sobek.FunctionCall) sobek.Value { //nolint:cyclop // one case for each argument
	rt := m.vu.Runtime()
	var facts testrun.Facts
	if err := k6x.ReadOptions(call.Argument(0), &facts); err != nil {
		k6x.ThrowType(rt, "sweep.meta: %s", err.Error())
	}
	if err := mustKeepDigits(call.Argument(0)); err != nil {
		k6x.ThrowType(rt, "sweep.meta: %s", err.Error())
	}
	for name := range facts.Params {
		if slices.Contains(ownParams, name) {
			k6x.ThrowType(rt, "sweep.meta: params.%s is what the sweep itself tells of its options: give it another name", name)
		}
	}
	for name, target := range map[string]map[string]any{"target": facts.Target, "base": facts.Base} {
		if address, ok := target["url"].(string); ok && !netutil.IsKeyValues(address) {
			clean, err := withoutPassword(address)
			if err != nil {
				k6x.ThrowType(rt, "sweep.meta: %s.%s", name, err.Error())
			}
			target["url"] = clean
		}
		withoutSecrets(target)
	}
	withoutSecrets(facts.Params)
	if facts.Name != "" && (facts.Scenario == "" || facts.Name != filepath.Base(facts.Name)) {
		k6x.ThrowType(rt, "sweep.meta: name is that of one scenario's files, such as { scenario: 'lookup', name: 'lookup-redis' }")
	}
	if facts.Cache != nil {
		if err := facts.Cache.Validate(); err != nil {
			k6x.ThrowType(rt, "sweep.meta: %s", err.Error())
		}
	}
	m.results.Meta(&facts)
	if facts.Results != "" || m.settings().applied.Load() {
		if err := files.Usable(fsext.NewOsFs(), m.results.Folder(facts.Scenario, m.test)); err != nil {
			throw(rt, fmt.Errorf("the results cannot be kept: %w", err))
		}
	}

	return sobek.Undefined()
}

// mustKeepDigits refuses a BigInt that is not exact as a JavaScript number.
func mustKeepDigits(facts sobek.Value) error {
	exported, err := k6x.Export(facts)
	if err != nil {
		return err
	}

	return k6x.EachLeaf(exported, func(path string, leaf any) error {
		number, is := leaf.(*big.Int)
		if !is {
			return nil
		}
		if _, accuracy := new(big.Float).SetInt(number).Float64(); accuracy == big.Exact {
			return nil
		}

		return fmt.Errorf("%s is %sn, which would lose digits in a report: write it as a string", path, number)
	})
}

// withoutSecrets removes secrets from all addresses in the facts, at any depth.
func withoutSecrets(facts any) {
	clean := func(value any) any {
		if text, is := value.(string); is {
			return netutil.RedactFact(text)
		}
		withoutSecrets(value)

		return value
	}
	switch v := facts.(type) {
	case map[string]any:
		for name, value := range v {
			v[name] = clean(value)
		}
	case []any:
		for i, value := range v {
			v[i] = clean(value)
		}
	}
}

// ownParams are the report's parameters that scripts cannot set.
var ownParams = []string{ //nolint:gochecknoglobals // a constant
	"clients", "rate", "find", "preAllocatedVUs", "iterations", "duration", "untilDone", "warmup", "repeats",
	"variants", "pause", "waitCalm", "maxDuration", "gracefulStop", "segment", "portable", "executor", "hosts",
}

// withoutPassword removes the password from a URL. The error does not contain the address, which
// may hold one.
func withoutPassword(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || strings.ContainsAny(u.Opaque+u.Path+u.RawQuery+u.Fragment, "@") {
		// Without "//", or with "/", "?" or "#" in a password, url.Parse takes the password for another
		// part.
		return "", fmt.Errorf("url is not a URL such as scheme://user@host:port") //nolint:err113 // see above
	}
	if _, both := u.User.Password(); both {
		u.User = url.User(u.User.Username())
	} else {
		u.User = nil // alone, it may be a token
	}
	query := u.Query()
	for name := range query {
		if secretName.MatchString(name) {
			query.Del(name)
			u.RawQuery = query.Encode()
		}
	}

	return u.String(), nil
}

var secretName = regexp.MustCompile(`(?i)pass|pwd|secret|token|key`)
