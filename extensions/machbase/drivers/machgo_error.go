package drivers

import (
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// machgoRejected starts machgo's error when it reads the report of a rejected row in place of
// another answer.
const machgoRejected = "unexpected protocol 12 "

var errMachgoRejected = cmi.NewError(cmi.KindAppend, "the server has rejected rows that were appended before this call")

func machgoError(err error) *cmi.Error {
	if known := knownError(err); known != nil {
		return known
	}
	if strings.Contains(err.Error(), machgoRejected) {
		return errMachgoRejected
	}

	return cmi.NewError(cmi.KindConnection, "the connection broke: %s", clientText(err))
}

func (c *machgoConn) failed(err error) error {
	e := machgoError(err)
	c.broken = c.broken || e == errMachgoRejected

	return e
}

func (c *machgoConn) outOfStep(err error) error {
	c.broken = true

	return appendError(err)
}

func appendError(err error) *cmi.Error {
	e := machgoError(err)
	if e.Code == 0 {
		return cmi.NewError(cmi.KindAppend, "%s", clientText(err))
	}

	return &cmi.Error{Code: e.Code, Kind: cmi.KindAppend, Message: e.Message}
}
