package k6x_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func TestTagsOfACall(t *testing.T) {
	v, c := startedCacheVU(t, true)
	v.Run(`client.get('a'); client.get('b', { tags: { name: 'login', n: 5, hot: true } }); client.get('c', { tags: { name: 'login', hot: true, n: 5 } })`)
	v.Loop(`await client.asyncGet('d', { tags: { name: 'async' } })`)
	v.Run(`client.get('e')`)
	var got []string
	for _, s := range v.Sent() {
		if s.Metric.Name != "cache_hits" {
			got = append(got, fmt.Sprintf("%s %g %v", s.Metric.Name, s.Value, s.Tags.Map()))
		}
	}
	var want []string
	for _, own := range []string{"", "hot:true n:5 name:login ", "hot:true n:5 name:login ", "name:async ", ""} {
		want = append(want, "cache_ops 1 map["+own+"op:get outcome:ok]", "cache_failed 0 map["+own+"op:get]",
			"cache_op_duration 1 map["+own+"op:get outcome:ok]")
	}
	require.Equal(t, want, got)

	for script, want := range map[string]string{
		`client.get('a', { tags: 'login' })`:         `get: option tags must be an object of strings, such as { name: 'login' }, not login`,
		`client.get('a', { tags: { name: {} } })`:    `get: option tags.name must be a string, not an object`,
		`client.get('a', { tags: { op: 'mine' } })`:  `get: option tags cannot have op, which is a tag of the module's own`,
		`client.get('a', { tags: { outcome: '' } })`: `get: option tags cannot have outcome, which is a tag of the module's own`,
	} {
		requireThrown(t, k6x.KindUsage, want, v.Fail(script))
	}
	value, err := v.JS.RunString(`({ name: 'login' })`)
	require.NoError(t, err)
	tags, err := k6x.ReadTags("get", "option tags", value)
	require.NoError(t, err)
	c.Tag(tags)
	c.Count("get", nil, 1)
	require.Zero(t, testing.AllocsPerRun(100, func() { c.Tag(tags); c.Count("get", nil, 1); c.Tag(k6x.Tags{}); c.Elapsed(time.Nanosecond) }))
}
