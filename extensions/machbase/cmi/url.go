package cmi

import (
	"errors"
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

// URL is where a server is and how to log in.
type URL struct {
	Host           string
	Port           int
	User, Password string
	Options        []URLOption // in the order of their names, the last of each
}

// URLOption is what stands behind the URL's question mark. What it means is the caller's.
type URLOption struct{ Name, Value string }

// Address is host:port.
func (u *URL) Address() string { return net.JoinHostPort(u.Host, strconv.Itoa(u.Port)) }

var errURL = errors.New("the url must look like machbase://user:password@host:port?timeout=5s, " +
	"where @ : / ? # % in the user or the password are written %40 %3A %2F %3F %23 %25")

// errPort does not show the number: in machbase://user:password, without a host, it is the
// password.
var errPort = errors.New("port must be from 1 to 65535 in a url such as machbase://user:password@host:port")

// ParseURL reads machbase://user:password@host:port?option=value. Its errors never show the URL: it
// holds a password.
func ParseURL(raw string) (*URL, error) {
	parsed, err := url.Parse(raw)
	if err != nil || parsed.Scheme != "machbase" || parsed.Hostname() == "" || strings.Trim(parsed.Path, "/") != "" || parsed.Opaque != "" ||
		parsed.Fragment != "" || strings.Contains(parsed.RawQuery, "@") { // what stands there is a piece of a password with a # or ?
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
		u.User = parsed.User.Username()
		u.Password, _ = parsed.User.Password()
	}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		values := options[name]
		u.Options = append(u.Options, URLOption{name, values[len(values)-1]})
	}

	return u, nil
}
