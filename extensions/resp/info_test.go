package resp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInfo(t *testing.T) {
	v := newVU(t)
	v.Run(`var client = new resp.Client(url);
		var all = client.info('memory');
		var [[address, memory]] = Object.entries(all);
		if (!url.endsWith(address)) throw new Error(address);
		if (!(Number(memory.used_memory) > 0)) throw new Error(JSON.stringify(memory));
		if (!/^[a-z-]+$/.test(memory.maxmemory_policy)) throw new Error(memory.maxmemory_policy);
		if (memory.redis_version !== undefined) throw new Error('another section');
		if (!client.info()[address].redis_version) throw new Error('what it tells unasked');
		var failed = attempt(() => client.info(5))`)
	require.Equal(t, "info: the section must be a string, not 5", v.JS.Get("failed").ToObject(v.JS).Get("message").String())
	require.Equal(t, 2.0, v.Counted(metricOps, "op", "info", "outcome", "ok"))
	v.Run(`client.info('memory', { tags: { name: 'look' } }); client.run({ iterations: 3, mix: { get: 1 }, tags: { name: 'read' } })`)
	require.Equal(t, 1.0, v.Counted(metricOps, "op", "info", "name", "look"))
	require.Equal(t, 3.0, v.Counted(metricOps, "op", "get", "name", "read"))
}
