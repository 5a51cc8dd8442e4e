package wire

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/netutil"
)

func describe(err error) string {
	var op *net.OpError
	var dns *net.DNSError
	var call *os.SyscallError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the server closed it"
	case netutil.IsConnRefused(err):
		return "connection refused; is a memcached running there?"
	case errors.Is(err, syscall.ENOENT):
		return "there is no such socket"
	case errors.As(err, &dns) && dns.IsNotFound:
		return "there is no such host"
	case errors.As(err, &call):
		return call.Err.Error()
	case errors.As(err, &op):
		return op.Err.Error()
	default:
		return err.Error()
	}
}
