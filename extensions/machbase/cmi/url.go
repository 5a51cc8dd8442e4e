package cmi

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Defaults of a URL.
const (
	DefaultHost = "127.0.0.1"
	DefaultPort = 5656
	DefaultUser = "sys"
)

// URL is the address of a server with the login and options.
type URL struct {
	Host           string
	Port           int
	User, Password string
	Options        []URLOption // sorted by name; the last of each counts
	// Alternatives are the host:port of servers with the same data.
	Alternatives []string
	named        bool
}

// URLOption is an option of a URL. The caller interprets it.
type URLOption struct{ Name, Value string }

// Address returns host:port.
func (u *URL) Address() string { return net.JoinHostPort(u.Host, strconv.Itoa(u.Port)) }

var errURL = errors.New("the url must look like machbase://user:password@host:port?timeout=5s, " +
	"where @ : / ? # % , in the user or the password are written %40 %3A %2F %3F %23 %25 %2C")

var errUsers = errors.New("the urls name different users or passwords: the servers must have the same data")

// errPort does not show the number: in machbase://user:password, without a host, it is the
// password.
var errPort = errors.New("port must be from 1 to 65535 in a url such as machbase://user:password@host:port")

// ParseURLs parses the URLs of one server, or of several with the same data; the first one that
// answers is used. Each has the form of ParseURL, or is a bare host:port. User, password and
// options may be in any of them.
func ParseURLs(all []string) (*URL, error) {
	var first *URL
	for _, raw := range all {
		if !strings.Contains(raw, "@") && !strings.Contains(raw, "://") {
			raw = "machbase://" + raw
		}
		u, err := ParseURL(raw)
		switch {
		case err != nil:
			return nil, err
		case first == nil:
			first = u

			continue
		}
		if err := first.add(u); err != nil {
			return nil, err
		}
	}

	return first, nil
}

func (u *URL) add(other *URL) error {
	if u.named && other.named && (u.User != other.User || u.Password != other.Password) {
		return errUsers
	}
	if other.named {
		u.named, u.User, u.Password = true, other.User, other.Password
	}
	for _, option := range other.Options {
		at := slices.IndexFunc(u.Options, func(o URLOption) bool { return o.Name == option.Name })
		if at >= 0 && u.Options[at].Value != option.Value {
			return fmt.Errorf("the urls have different values for option %s", option.Name)
		}
		if at < 0 {
			u.Options = append(u.Options, option)
		}
	}
	u.Alternatives = append(u.Alternatives, other.Address())

	return nil
}

func isURL(parsed *url.URL) bool {
	manyColons := !strings.HasPrefix(parsed.Host, "[") && strings.Count(parsed.Host, ":") > 1
	// An unescaped # or ? in a password makes the rest of the password a fragment, or a query with an
	// @.
	pieces := parsed.Fragment != "" || strings.Contains(parsed.RawQuery, "@")

	return parsed.Scheme == "machbase" && parsed.Hostname() != "" && !manyColons &&
		strings.Trim(parsed.Path, "/") == "" && parsed.Opaque == "" && !pieces
}

// ParseURL parses machbase://user:password@host:port?option=value. Its errors never show the URL,
// which may hold a password.
func ParseURL(raw string) (*URL, error) {
	parsed, err := url.Parse(raw)
	if err != nil || !isURL(parsed) {
		return nil, errURL
	}
	options, err := url.ParseQuery(parsed.RawQuery)
	if err != nil {
		return nil, errURL
	}

	u := &URL{Host: parsed.Hostname(), Port: DefaultPort, User: DefaultUser}
	if text := parsed.Port(); text != "" {
		if u.Port, err = strconv.Atoi(text); err != nil || u.Port < 1 || u.Port > 65535 {
			return nil, errPort
		}
	}
	if parsed.User != nil {
		u.named = true
		u.User = parsed.User.Username()
		u.Password, _ = parsed.User.Password()
	}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		values := options[name]
		u.Options = append(u.Options, URLOption{name, values[len(values)-1]})
	}

	return u, nil
}
