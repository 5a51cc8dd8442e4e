package main

import (
	"slices"
	"strconv"
)

func allClients() []int { return []int{1, 8, 64, 512} }

const publishBatch = 1000

func works() []*work { //nolint:funlen // a list
	cache := func(store, variable, protocol, file, library string) []*work {
		form := func(name string, batch int) func(load) (figures, error) {
			return script(file, batch, map[string]string{"FORM": name})
		}
		gets := &work{store: store, name: "get", clients: allClients(), address: variable, programs: []program{
			{name: "k6, client.run", paced: true, own: true, run: form("run", 1)},
			{name: "k6, a call for each", own: true, run: form("call", 1)},
			{name: memtier, needs: memtier, paced: true, run: memtierGets(variable, protocol, 1)},
			{name: "Go, " + library, own: true, run: plain(store, 1)},
		}}
		pipelines := &work{store: store, name: "pipelines of 50", clients: allClients(), address: variable, programs: []program{
			{name: "k6, client.run", own: true, run: form("pipeline", 1)},
			{name: memtier, needs: memtier, run: memtierGets(variable, protocol, batch)},
		}}
		if store == "redis" {
			gets.programs = append(gets.programs, program{name: redisBenchmark, needs: redisBenchmark, run: redisBenchmarkGets(1)})
			pipelines.programs = append(pipelines.programs, program{name: redisBenchmark, needs: redisBenchmark, run: redisBenchmarkGets(batch)})
		}

		return []*work{gets, pipelines}
	}
	rollup := func(driver string, more map[string]string) func(load) (figures, error) {
		settings := map[string]string{"DRIVER": driver, "REUSE": "true", "QUIET": "0s"}
		for name, value := range more {
			settings[name] = value
		}

		return script("scenarios/stock-rollup.js", 1, settings)
	}
	nats := func(name, kind, file string, batch int, settings map[string]string) *work {
		settings["VALUE"], settings["QUIET"] = valueBytes, "0s"

		return &work{store: "nats", name: name, clients: allClients(), address: "NATS_URL", programs: []program{
			{name: "k6", own: true, run: script(file, batch, settings)},
			{name: "nats bench", needs: natsCLI, run: natsBench(kind)},
			{name: "Go, nats.go", own: true, run: plain("nats-"+kind, batch)},
		}}
	}
	kv := func(kind string) *work {
		return nats("key-value "+kind, kind, "scenarios/natsjs-kv-sweep.js", 1, map[string]string{"LAYOUT": "orb", "MIX": kind})
	}
	postgres := func(form string) *work {
		return &work{store: "postgres", name: form, clients: []int{1, 8, 64}, address: "POSTGRES_URL", prepare: fillPostgres, programs: []program{
			{name: "k6/x/sql", paced: true, own: true, run: script("scripts/bench/postgres.js", 1, map[string]string{"FORM": form})},
			{name: pgbench, needs: pgbench, paced: true, run: pgbenchRuns(form)},
			{name: "Go, pgx", own: true, run: plain("postgres-"+form, 1)},
		}}
	}
	readBulk := func(form string) func(load) (figures, error) {
		return script("scripts/bench/readbulk.js", 1, map[string]string{"FORM": form})
	}

	return slices.Concat(
		cache("memcached", "MEMCACHED_URL", "memcache_text", "scripts/bench/memcached.js", "gomemcache"),
		cache("redis", "REDIS_URL", "redis", "scripts/bench/redis.js", "go-redis"),
		[]*work{
			{store: "machbase", name: "roll-up", clients: allClients(), address: "MACHBASE_URL", prepare: loadStock, programs: []program{
				{name: "k6, a query for each call", own: true, run: rollup("native", nil)},
				{name: stockgo, needs: stockgo, run: stockgoRollups},
				{name: "Go, the same client", own: true, run: plain("machbase", 1)},
				{name: "k6, client.run", own: true, run: rollup("native", map[string]string{"IN_GO": "true"})},
				{name: "k6, machgo", needs: "bin/k6-drivers", own: true, run: rollup("machgo", map[string]string{"BINARY": "bin/k6-drivers"})},
				{name: "k6, machcli, no reuse", needs: "bin/k6-drivers", own: true, run: rollup("machcli", map[string]string{"BINARY": "bin/k6-drivers", "REUSE": "false"})},
			}},
			nats("request", "request", "scenarios/nats-core.js", 1, map[string]string{"WORK": "request"}),
			kv("get"),
			kv("put"),
			nats("publish", "publish", "scenarios/nats-core.js", publishBatch,
				map[string]string{"WORK": "publish", "BATCH": strconv.Itoa(publishBatch)}),
			postgres("select"),
			postgres("insert"),
			{store: "gateway", name: "ReadBulk", clients: []int{1, 8, 64}, address: "MXGW_URL", programs: []program{
				{name: "k6/x/mxgateway", paced: true, own: true, run: readBulk("module")},
				{name: "ghz", needs: ghz, paced: true, run: ghzReads},
				{name: "k6/net/grpc", own: true, run: readBulk("grpc")},
			}},
			{store: "nothing", name: "empty operation", clients: allClients(), programs: []program{
				{name: "k6", own: true, run: script("scripts/bench/empty.js", 1, nil)},
				{name: "Go", own: true, run: plain("empty", 1)},
			}},
		},
	)
}

func stores() (names []string) {
	for _, w := range works() {
		if !slices.Contains(names, w.store) {
			names = append(names, w.store)
		}
	}

	return names
}

func loadStock() error {
	_, _, err := output(command(k6, "run", "--quiet", "scenarios/stock-load.js"))

	return err
}
