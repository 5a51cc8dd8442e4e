package nats

import (
	"runtime"
	"testing"

	"github.com/grafana/sobek"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modulestest"
)

// BenchmarkObjects creates objects that scripts create in each VU. heap-B/op is the heap that one
// takes.
func BenchmarkObjects(b *testing.B) {
	for _, bench := range []struct{ name, script string }{
		{"Client", `() => new nats.Client('nats://h:1')`},
		{"ClientInUse", `() => { const client = new nats.Client('nats://h:1'); client.publish; client.request; return client; }`},
		{"JetStream", `() => new nats.Client('nats://h:1').jetStream()`},
		{"KeyValue", `() => new nats.Client('nats://h:1').jetStream().keyValue('b')`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			vu := modulestest.NewRuntime(b)
			vu.VU.InitEnvField.BuiltinMetrics = vu.BuiltinMetrics
			require.NoError(b, vu.SetupModuleSystem(map[string]any{ImportPath: New()}, nil, nil))
			value, err := vu.VU.Runtime().RunString(`var nats = require('k6/x/nats'); (` + bench.script + `)`)
			require.NoError(b, err)
			script, _ := sobek.AssertFunction(value)
			made := make([]sobek.Value, b.N)
			before := heap()
			b.ReportAllocs()
			b.ResetTimer()
			for i := range made {
				if made[i], err = script(sobek.Undefined()); err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
			b.ReportMetric(float64(heap()-before)/float64(b.N), "heap-B/op")
			runtime.KeepAlive(made)
		})
	}
}

func heap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)

	return stats.HeapAlloc
}
