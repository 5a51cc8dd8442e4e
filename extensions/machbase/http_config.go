package machbase

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/httpapi"
)

// httpName is the name of the driver that speaks to machbase-neo's HTTP API.
const httpName = "http"

// HTTPConfig is what the driver http knows beside the other drivers.
type HTTPConfig struct {
	// Secure tells whether it speaks https.
	Secure bool
	// Token is for a server that asks for one.
	Token string
	// TLS is what the option tls says.
	TLS *k6glue.TLS
	// TLSOf is the configuration for host:port.
	TLSOf func(address string) *tls.Config
}

var errHTTPURL = errors.New("the url of driver http must look like http://user:password@host:5654, or https://, " +
	"where @ : / ? # % , in the user or the password are written %40 %3A %2F %3F %23 %25 %2C")

// locate reads the URLs. The scheme says which driver it is, and the option driver what host:port
// alone stands for.
func (c *Config) locate(urls []string, driver string) error {
	switch {
	case len(urls) == 0:
		if driver == httpName {
			c.Port = httpapi.DefaultPort
		}

		return nil
	case isHTTP(urls[0]):
		return c.parseHTTP(urls)
	case driver == httpName && !strings.Contains(urls[0], "@") && !strings.Contains(urls[0], "://"):
		return c.parseHTTP(append([]string{"http://" + urls[0]}, urls[1:]...))
	case driver == httpName:
		return errHTTPURL
	}

	if err := c.parse(urls); err != nil {
		return err
	}
	if c.Driver == httpName { // of an option in the url
		return errHTTPURL
	}

	return nil
}

// isHTTP tells whether a URL is one of the HTTP API.
func isHTTP(raw string) bool {
	scheme, _, found := strings.Cut(strings.ToLower(raw), "://")

	return found && (scheme == "http" || scheme == "https")
}

// parseHTTP reads http://user:password@host:port?option=value. Its errors never show the URL: it
// holds a password.
func (c *Config) parseHTTP(urls []string) error {
	if len(urls) > 1 {
		return errors.New("driver http takes one url")
	}
	u, err := url.Parse(urls[0])
	if err != nil || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.Fragment != "" || strings.Contains(u.RawQuery, "@") {
		return errHTTPURL
	}
	options, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return errHTTPURL
	}
	c.Driver, c.HTTP = httpName, &HTTPConfig{Secure: strings.EqualFold(u.Scheme, "https")}
	c.Host, c.Port = u.Hostname(), httpapi.DefaultPort
	if text := u.Port(); text != "" {
		if c.Port, err = strconv.Atoi(text); err != nil || c.Port < 1 || c.Port > 65535 {
			return errHTTPURL
		}
	}
	if u.User != nil {
		c.User = u.User.Username()
		c.Password, _ = u.User.Password()
	}
	for name, values := range options {
		if err := c.set(name, values[len(values)-1]); err != nil {
			return err
		}
	}

	return nil
}

// overHTTP reads the options that are of the driver http alone, and refuses for it what the HTTP
// API cannot do.
func (o *options) overHTTP(c *Config) error {
	if c.Driver != httpName {
		switch {
		case c.HTTP != nil:
			return fmt.Errorf("driver %q speaks Machbase's own protocol: its url begins with machbase://; http:// is for driver http", c.Driver)
		case o.Token != "":
			return errors.New("option token is of driver http alone")
		case o.TLS.Given():
			return errors.New("option tls is of driver http alone: Machbase's native protocol has no TLS")
		}

		return nil
	}
	if c.HTTP == nil {
		c.HTTP = &HTTPConfig{}
	}
	c.HTTP.Token, c.HTTP.TLS = o.Token, &k6glue.TLS{}
	if o.TLS.Given() {
		var err error
		if c.HTTP.TLS, err = o.TLS.Read(); err != nil {
			return err
		}
		c.HTTP.Secure = true
	}

	switch {
	case c.StatementCache != CacheOff:
		return errors.New("driver http keeps no statements: statementCache must be \"off\"")
	case c.QueryTimeout != 0:
		return errors.New("driver http has no sessions, and so no queryTimeout: use timeout")
	case c.FetchRows != cmi.DefaultFetchRows:
		return errors.New("driver http gets all rows in one answer: leave fetchRows out")
	case len(c.Alternatives) > 0:
		return errors.New("driver http takes one url, and no alternatives")
	}

	return nil
}
