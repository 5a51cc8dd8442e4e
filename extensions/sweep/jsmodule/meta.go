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
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/redact"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// meta is sweep.meta({ scenario, target, base, params, published, cache, results,
// name }): facts for the
// report that only the script knows. Call it in setup(). scenario is the one that they are of;
// without, they are of all. target is what was measured (kind, version, driver, url), base is what
// is otherwise in the base of a duet, params is with what (the query, a code, statement reuse). A
// password or another secret in a url is taken out. With the URL of a server on this machine, the
// report has the server's processor time as well. published is what others have published of the
// same, to be shown beside it as a shape. cache is what has to be known of a cache for the
// published figures of hits by memory. results is the folder that sweep.report will write to: it
// throws when it cannot. name is what a scenario's files are called instead.
func (m *module) meta(call sobek.FunctionCall) sobek.Value { //nolint:cyclop // one case for each argument
	rt := m.vu.Runtime()
	var facts testrun.Facts
	if err := k6glue.Options(call.Argument(0), &facts); err != nil {
		k6glue.ThrowType(rt, "sweep.meta: %s", err.Error())
	}
	if err := mustKeepDigits(call.Argument(0)); err != nil {
		k6glue.ThrowType(rt, "sweep.meta: %s", err.Error())
	}
	for name := range facts.Params {
		if slices.Contains(ownParams, name) {
			k6glue.ThrowType(rt, "sweep.meta: params.%s is what the sweep itself tells of its options: give it another name", name)
		}
	}
	for name, target := range map[string]map[string]any{"target": facts.Target, "base": facts.Base} {
		if address, ok := target["url"].(string); ok && !redact.IsKeyValues(address) {
			clean, err := withoutPassword(address)
			if err != nil {
				k6glue.ThrowType(rt, "sweep.meta: %s.%s", name, err.Error())
			}
			target["url"] = clean
		}
		withoutSecrets(target)
	}
	withoutSecrets(facts.Params)
	if facts.Name != "" && (facts.Scenario == "" || facts.Name != filepath.Base(facts.Name)) {
		k6glue.ThrowType(rt, "sweep.meta: name is that of one scenario's files, such as { scenario: 'lookup', name: 'lookup-redis' }")
	}
	if facts.Cache != nil {
		if err := facts.Cache.Validate(); err != nil {
			k6glue.ThrowType(rt, "sweep.meta: %s", err.Error())
		}
	}
	if facts.Results != "" {
		if err := files.Usable(fsext.NewOsFs(), facts.Results); err != nil {
			throw(rt, fmt.Errorf("the results cannot be kept: %w", err))
		}
	}
	m.results.Meta(&facts)

	return sobek.Undefined()
}

// mustKeepDigits refuses a BigInt that is no exact number in a report, whose numbers are as
// JavaScript's.
func mustKeepDigits(facts sobek.Value) error {
	exported, err := k6glue.Export(facts)
	if err != nil {
		return err
	}

	return k6glue.EachLeaf(exported, func(path string, leaf any) error {
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

// withoutSecrets takes the secrets out of all addresses among the facts, at any depth.
func withoutSecrets(facts any) {
	clean := func(value any) any {
		if text, is := value.(string); is {
			return redact.Fact(text)
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

// ownParams are those of the report's params that are not the script's.
var ownParams = []string{ //nolint:gochecknoglobals // a constant
	"clients", "rate", "find", "preAllocatedVUs", "iterations", "duration", "untilDone", "warmup", "warmupIterations", "repeats",
	"repeatOrder", "failOn", "variants", "pause", "maxDuration", "gracefulStop", "segment", "portable", "executor", "hosts",
}

// withoutPassword takes the password out of a URL. The error does not repeat the address: it may
// hold one.
func withoutPassword(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || strings.ContainsAny(u.Opaque+u.Path+u.RawQuery+u.Fragment, "@") {
		// Without "//", or with a "/", "?" or "#" in it, what was meant as a password is taken for
		// something else.
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

// secretName matches the names of URL parameters that hold secrets.
var secretName = regexp.MustCompile(`(?i)pass|pwd|secret|token|key`)
