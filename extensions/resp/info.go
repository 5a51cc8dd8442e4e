package resp

import (
	"context"
	"strings"

	"github.com/grafana/sobek"
	"github.com/redis/go-redis/v9"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

const opInfo = "info"

// info is client.info(section): an object of the servers' addresses, and for each one what INFO
// tells of itself.
func (c *client) info(call sobek.FunctionCall) sobek.Value {
	var sections []string
	if value := call.Argument(0); !k6glue.IsNullish(value) {
		section, ok := value.Export().(string)
		if !ok {
			c.Misuse("info takes a string such as 'memory', not %s", value.String())
		}
		sections = append(sections, section)
	}

	return c.during(func() sobek.Value {
		rt := c.vu.Runtime()
		all := rt.NewObject()
		for _, n := range c.nodes {
			var text string
			err := n.do(func(ctx context.Context, server *redis.Client) (err error) {
				text, err = server.Info(ctx, sections...).Result()

				return err
			})
			c.instruments.count(opInfo, err, 0, 0)
			if err != nil {
				c.instruments.Emit()
				c.throw(err)
			}
			c.put(all, n.server.Address, c.infoOf(text))
		}
		c.instruments.Emit()

		return all
	})
}

// infoOf reads the lines of an answer to INFO, which are name:value but for titles and empty ones.
func (c *client) infoOf(text string) *sobek.Object {
	one := c.vu.Runtime().NewObject()
	for line := range strings.Lines(text) {
		if name, value, is := strings.Cut(strings.TrimRight(line, "\r\n"), ":"); is && !strings.HasPrefix(name, "#") {
			c.put(one, name, c.vu.Runtime().ToValue(value))
		}
	}

	return one
}

// put gives an object a property, whatever its name.
func (c *client) put(object *sobek.Object, name string, value sobek.Value) {
	if err := object.DefineDataProperty(name, value, sobek.FLAG_TRUE, sobek.FLAG_TRUE, sobek.FLAG_TRUE); err != nil {
		c.throw(err)
	}
}
