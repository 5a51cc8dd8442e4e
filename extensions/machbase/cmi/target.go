package cmi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
)

// DefaultDriver is the driver of this client.
const DefaultDriver = "native"

const defaultPort = 5656

// Target describes a server, or several with the same data, and how to use it.
type Target struct {
	Host     string
	Port     int
	User     string
	Password string

	// Driver is the name of a client library.
	Driver string
	// Alternatives are the host:port of servers with the same data, tried if the first does not
	// answer.
	Alternatives []string

	Timeout time.Duration // of a call
	// QueryTimeout is the server's limit for a query, which Check rounds up to seconds; 0: none.
	QueryTimeout   time.Duration
	ConnectTimeout time.Duration
	StatementCache CacheMode
	// FetchRows is the number of rows in a packet of an answer.
	FetchRows int64
}

// DefaultTarget returns the target of an empty URL.
func DefaultTarget() Target {
	return Target{
		Host: "127.0.0.1", Port: defaultPort, User: "sys", Driver: DefaultDriver, Timeout: 60 * time.Second, ConnectTimeout: 5 * time.Second,
		StatementCache: CacheOff, FetchRows: DefaultFetchRows,
	}
}

// Address returns host:port.
func (t *Target) Address() string { return net.JoinHostPort(t.Host, strconv.Itoa(t.Port)) }

// Addresses returns all host:port.
func (t *Target) Addresses() []string { return append([]string{t.Address()}, t.Alternatives...) }

// Connect connects as the target says, within its ConnectTimeout, with dial or, for nil, a
// net.Dialer.
func (t *Target) Connect(ctx context.Context, dial func(ctx context.Context, network, address string) (net.Conn, error)) (*Conn, error) {
	return Connect(ctx, Config{
		Addresses: t.Addresses(), User: t.User, Password: t.Password, QueryTimeout: t.QueryTimeout,
		StatementCache: t.StatementCache, FetchRows: t.FetchRows, Dial: dial,
	})
}

var errURL = errors.New("the url must look like machbase://user:password@host:port?timeout=5s, " +
	"where @ : / ? # % , in the user or the password are written %40 %3A %2F %3F %23 %25 %2C")

var errUsers = errors.New("the urls name different users or passwords: the servers must have the same data")

// errPort does not show the number: in machbase://user:password, without a host, it is the
// password.
var errPort = errors.New("port must be from 1 to 65535 in a url such as machbase://user:password@host:port")

// Parse reads the URLs of one server, or of several with the same data; the first one that answers
// is used. Each is machbase://user:password@host:port?option=value, or a bare host:port. User,
// password and options may be in any of them. Errors never show a URL, which may hold a password.
func (t *Target) Parse(urls []string) error {
	var user *url.Userinfo
	options := map[string]string{}
	for i, raw := range urls {
		parsed, given, port, err := parseURL(raw)
		if err != nil {
			return err
		}
		if i == 0 {
			t.Host, t.Port = parsed.Hostname(), port
		} else {
			t.Alternatives = append(t.Alternatives, net.JoinHostPort(parsed.Hostname(), strconv.Itoa(port)))
		}
		if parsed.User != nil {
			if user != nil && user.String() != parsed.User.String() {
				return errUsers
			}
			user = parsed.User
		}
		for name, values := range given {
			value := values[len(values)-1]
			if known, is := options[name]; is && known != value {
				return fmt.Errorf("the urls have different values for option %s", name)
			}
			options[name] = value
		}
	}
	if user != nil {
		t.User = user.Username()
		t.Password, _ = user.Password()
	}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if err := t.set(name, options[name]); err != nil {
			return err
		}
	}

	return nil
}

func parseURL(raw string) (parsed *url.URL, options url.Values, port int, err error) {
	if !strings.Contains(raw, "@") && !strings.Contains(raw, "://") {
		raw = "machbase://" + raw
	}
	if parsed, err = url.Parse(raw); err != nil || !isURL(parsed) {
		return nil, nil, 0, errURL
	}
	if options, err = url.ParseQuery(parsed.RawQuery); err != nil {
		return nil, nil, 0, errURL
	}
	port = defaultPort
	if text := parsed.Port(); text != "" {
		if port, err = strconv.Atoi(text); err != nil || port < 1 || port > 65535 {
			return nil, nil, 0, errPort
		}
	}

	return parsed, options, port, nil
}

func isURL(parsed *url.URL) bool {
	manyColons := !strings.HasPrefix(parsed.Host, "[") && strings.Count(parsed.Host, ":") > 1
	// An unescaped # or ? in a password makes the rest of the password a fragment, or a query with an
	// @.
	pieces := parsed.Fragment != "" || strings.Contains(parsed.RawQuery, "@")

	return parsed.Scheme == "machbase" && parsed.Hostname() != "" && !manyColons &&
		strings.Trim(parsed.Path, "/") == "" && parsed.Opaque == "" && !pieces
}

func (t *Target) set(name, value string) (err error) {
	switch name {
	case "timeout":
		t.Timeout, err = parseDuration(name, value)
	case "queryTimeout":
		t.QueryTimeout, err = parseDuration(name, value)
	case "driver":
		t.Driver = value
	case "alternatives":
		t.Alternatives = append(t.Alternatives, strings.Split(value, ",")...)
	case "connectTimeout":
		t.ConnectTimeout, err = parseDuration(name, value)
	case "statementCache":
		t.StatementCache = CacheMode(value)
	case "fetchRows":
		if t.FetchRows, err = strconv.ParseInt(value, 10, 64); err != nil {
			err = errors.New("it must be an integer")
		}
	case "tls":
		return errors.New(`unknown option "tls" in the url: Machbase's native protocol has no TLS`)
	default:
		return fmt.Errorf("unknown option %q in the url; "+
			"known are alternatives, connectTimeout, driver, fetchRows, queryTimeout, statementCache, timeout", name)
	}
	if err != nil {
		return fmt.Errorf("option %s in the url cannot be %q: %w", name, value, err)
	}

	return nil
}

// parseDuration parses a duration as k6 does: a number of milliseconds, or numbers with units, days
// first.
func parseDuration(name, text string) (time.Duration, error) {
	const longest = 100 * 365 * 24 * time.Hour
	if ms, err := strconv.ParseFloat(text, 64); err == nil {
		if err := input.NumberUnit(name, ms); err != nil {
			return 0, err
		}
		text += "ms"
	}
	var days uint64
	first, rest, found := strings.Cut(text, "d")
	if found {
		var err error
		if days, err = strconv.ParseUint(first, 10, 16); err != nil {
			return 0, errDuration
		}
		if text = rest; text == "" {
			text = "0"
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || found && d < 0 || d > longest {
		return 0, errDuration
	}

	return time.Duration(days)*24*time.Hour + d, nil
}

var errDuration = errors.New("it must be a time such as 5s or 300ms")

// Check returns the error of a value that is out of range.
func (t *Target) Check() error {
	switch {
	case t.Timeout <= 0:
		return fmt.Errorf("timeout must be more than 0, not %s", t.Timeout)
	case t.ConnectTimeout <= 0:
		return fmt.Errorf("connectTimeout must be more than 0, not %s", t.ConnectTimeout)
	case t.QueryTimeout < 0:
		return fmt.Errorf("queryTimeout must be more than 0, or 0 for none, not %s", t.QueryTimeout)
	case t.FetchRows < 1:
		return fmt.Errorf("fetchRows must be at least 1, not %d", t.FetchRows)
	case t.StatementCache != CacheOff && t.StatementCache != CacheAuto && t.StatementCache != CacheOn:
		return fmt.Errorf("statementCache must be %q, %q or %q, not %q", CacheOff, CacheAuto, CacheOn, t.StatementCache)
	}
	for _, alternative := range t.Alternatives {
		if _, port, err := net.SplitHostPort(alternative); err != nil || port == "" {
			return fmt.Errorf("alternatives must be host:port, not %q", alternative)
		}
	}
	t.QueryTimeout = (t.QueryTimeout + time.Second - 1) / time.Second * time.Second

	return nil
}
