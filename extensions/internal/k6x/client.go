package k6x

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/lib/types"
)

// Defaults of the options timeout (as in k6/http) and connectTimeout.
const (
	DefaultTimeout        = 60 * time.Second
	DefaultConnectTimeout = 5 * time.Second
)

// Values of the option connection: one connection per VU's client, or one shared by all clients
// with the same options.
const (
	ConnectionVU     = "vu"
	ConnectionShared = "shared"
)

// ParseClient reads the arguments of `new Client`: a url and options, or options alone. It fills
// options, a pointer to a struct that embeds Target, and returns config's result; urls is empty if
// the script names none. It throws all errors. Call it in the init context; it does not connect.
func ParseClient[C any](
	m *Module, call sobek.ConstructorCall, options targeted, config func(urls []string) (C, error),
) C {
	var urls URLs
	rest := call.Argument(0)
	object, isObject := rest.(*sobek.Object)
	_, isText := TextOf(rest)
	switch isURLs := isText || IsNullish(rest) || isObject && object.ClassName() == "Array"; {
	case isURLs:
		rest = call.Argument(1)
		if err := urls.read(call.Argument(0)); err != nil {
			m.Misuse("new Client: %s", err)
		}
	case !IsNullish(call.Argument(1)):
		m.Misuse("new Client takes a url and options, or options alone")
	}
	if err := ReadOptions(rest, options); err != nil {
		m.Misuse("new Client: %s", err)
	}
	if also := options.urls(); also != nil {
		if urls != nil {
			m.Misuse("new Client: the url is given twice: as the first argument and as option url")
		}
		urls = also
	}
	c, err := config(urls)
	if err != nil {
		m.Misuse("new Client: %s", err)
	}

	return c
}

// Target is the option url, to embed in a Client's options.
type Target struct {
	URL URLs `json:"url"`
}

type targeted interface{ urls() []string }

func (t *Target) urls() []string { return t.URL }

// URLs are server addresses: a comma-separated string or an array of strings.
type URLs []string

// errURLs does not show the value, which may contain a password.
var errURLs = errors.New("the url must be a string or an array of strings")

// UnmarshalJSON reads a string or an array.
func (u *URLs) UnmarshalJSON(raw []byte) error {
	var text *string
	if json.Unmarshal(raw, &text) == nil {
		if text != nil {
			*u = SplitURLs(*text)
		}

		return nil
	}
	var all []string
	if json.Unmarshal(raw, &all) != nil {
		return errURLs
	}
	if len(all) == 0 || slices.Contains(all, "") {
		return errors.New("the url must name a server: there is an empty string or an empty array")
	}
	*u = all

	return nil
}

// read reads a script's value.
func (u *URLs) read(value sobek.Value) error {
	exported, err := Export(value)
	if err != nil {
		return fmt.Errorf("the url: %w", err)
	}
	raw, err := json.Marshal(exported)
	if err != nil {
		return errURLs
	}

	return u.UnmarshalJSON(raw)
}

// SplitURLs splits a comma-separated string. A comma in a URL's query separates only if a URL with
// a scheme follows.
func SplitURLs(text string) (urls []string) {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	for piece := range strings.SplitSeq(text, ",") {
		if last := len(urls) - 1; last >= 0 && strings.Contains(urls[last], "?") && !strings.Contains(piece, "://") {
			urls[last] += "," + piece

			continue
		}
		urls = append(urls, strings.TrimSpace(piece))
	}

	return urls
}

// Timeouts are the options timeout and connectTimeout, to embed in a Client's options.
type Timeouts struct {
	Timeout        types.NullDuration `json:"timeout"`
	ConnectTimeout types.NullDuration `json:"connectTimeout"`
}

// Override replaces the defaults by the options that are set, and validates the result.
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

// OneOf checks an option with a fixed set of words; "" means its default.
func OneOf(name, value string, words ...string) error {
	if value == "" || slices.Contains(words, value) {
		return nil
	}

	return fmt.Errorf("%s must be %s, not %q", name, listed(words), value)
}

func listed(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return "'" + words[0] + "'"
	}

	return "'" + strings.Join(words[:last], "', '") + "' or '" + words[last] + "'"
}

// The errors of HostPort do not show the address, which may contain part of a password.
var (
	errPort = errors.New("the port of a server must be from 1 to 65535")
	errZone = errors.New("an address of IPv6 with a zone, such as fe80::1%eth0, cannot be reached: k6 leaves the zone out as it connects")
	errHost = errors.New("the host of a server must be a name or an address; one of IPv6 is written in brackets, such as [::1]:1234")
)

// HostPort returns host:port after checking both.
func HostPort(host, port string) (string, error) {
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", errPort
	}
	ip, err := netip.ParseAddr(host)
	if err != nil && strings.Contains(host, ":") {
		return "", errHost
	}
	if ip.Zone() != "" {
		return "", errZone
	}

	return net.JoinHostPort(host, port), nil
}
