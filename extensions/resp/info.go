package resp

import (
	"strings"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/resp/wire"
)

func (c *client) info(call sobek.FunctionCall) sobek.Value {
	section := ""
	if value := call.Argument(0); !k6x.IsNullish(value) {
		var err error
		if section, err = k6x.Text("info", "the section", value); err != nil {
			c.Throw(err)
		}
	}
	defer c.tagged("info", call.Argument(1))()

	return c.during(func() sobek.Value {
		all := c.Runtime().NewObject()
		for _, n := range c.primaries() {
			var text string
			err := n.do(func(conn *wire.Conn) (err error) {
				text, err = conn.Info(section)

				return err
			})
			c.Count("info", err)
			if err != nil {
				c.Emit()
				c.Throw(err)
			}
			c.Set(all, n.server.Address, c.infoOf(text))
		}
		c.Emit()

		return all
	})
}

func (c *client) infoOf(text string) *sobek.Object {
	one := c.Runtime().NewObject()
	for line := range strings.Lines(text) {
		name, value, is := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		if is && !strings.HasPrefix(name, "#") {
			c.Set(one, name, value)
		}
	}

	return one
}
