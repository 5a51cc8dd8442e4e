package mxgateway

import (
	"errors"
	"net"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// Defaults of the URL.
const (
	defaultHost = "127.0.0.1"
	defaultPort = "50051"
)

var (
	errURL  = errors.New("the url must be host:port or grpc://host:port, with grpcs:// for TLS, such as " + defaultHost + ":" + defaultPort)
	errURLs = errors.New("the url must name one gateway: a Client has one session")
)

// schemes are the valid schemes; true means TLS.
var schemes = map[string]bool{"grpc": false, "http": false, "grpcs": true, "https": true} //nolint:gochecknoglobals // a constant

func parseURLs(urls []string) (address string, secured bool, err error) {
	switch len(urls) {
	case 0:
		return net.JoinHostPort(defaultHost, defaultPort), false, nil
	case 1:
	default:
		return "", false, errURLs
	}
	rest := urls[0]
	if scheme, behind, found := strings.Cut(rest, "://"); found {
		known := false
		if secured, known = schemes[scheme]; !known {
			return "", false, errURL
		}
		rest = strings.TrimSuffix(behind, "/")
	}
	host, port, err := net.SplitHostPort(rest)
	if err != nil {
		host, port, err = net.SplitHostPort(rest + ":" + defaultPort)
	}
	if err != nil || host == "" || port == "" || strings.ContainsAny(rest, "/@ ?#") {
		return "", false, errURL
	}

	address, err = k6x.HostPort(host, port)

	return address, secured, err
}
