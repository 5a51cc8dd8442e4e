// The published micro benchmark: one client without pauses, which runs the tick query (100 rows of
// an hour) and the roll-up query (60 rows) alternately; ITERATIONS counts both. One table has
// ns/op, as Go's benchmarks print it, and the published figures. In the first table, ops/s of one
// kind includes the time of the other kind. Source: machbase/neo-tester at b95bed6, stockbench and
// stock/BENCH_8.0.73.md. Settings: see README.md.
import sweep from 'k6/x/sweep';
import { describe, duet, lastMinutes, lookup, machbase, newClient, rollup, tick } from './lib/stock.js';

/** The names in go test -bench, and published ns/op for an Apple M5 by client. */
const benchmarks = { tick: 'BenchmarkSelect', rollup: 'BenchmarkSelectRollup' };
const published = { 'api/machcli': { tick: 14861460 }, 'api/machgo': { tick: 4730629 } };

const env = sweep.settings({ ...machbase, CODE: 'WISH' }, { base: duet });
const db = newClient(env);
const base = env.base && newClient(env.base);
const ticks = (own) => ({ ...tick(own), params: lastMinutes(own.CODE, 60, 2), minRows: 100 });

export const options = sweep.options({
  scenario: 'stock-bench', opNames: ['tick', 'rollup'], clients: [1], iterations: 10000, warmup: '2s', pause: '1s', maxDuration: '1h',
});

export function setup() {
  describe('stock-bench', env, rollup, db, base);
  describe('stock-bench', env, ticks, db, base);
  sweep.meta({ scenario: 'stock-bench', params: { query: `tick: ${tick(env).query}; rollup: ${rollup(env).query}` } });
}

export default function () {
  sweep.run({ change: inTurn(db, env), base: base && inTurn(base, env.base) });
}

/** Connects, and returns a function that runs both operations. */
function inTurn(client, own) {
  const [first, second] = [lookup(client, own, ticks(own)), lookup(client, own, rollup(own))];
  return () => {
    sweep.op('tick', first);
    sweep.op('rollup', second);
  };
}

/** Returns the report, and the output of `go test -bench`. */
export const handleSummary = (data) => sweep.report(data, {
  tables: ({ steps }) => [{
    title: 'As go test -bench prints it, beside the published figures',
    columns: [
      { name: 'benchmark' }, { name: 'iterations' }, { name: 'ns/op', better: 'lower', digits: 0 },
      ...Object.keys(published).map((client) => ({ name: `published, ${client}`, unit: 'ns/op', digits: 0 })),
    ],
    rows: steps.map(({ op, ops, latencyMs, variant }) => [
      variant ? `${benchmarks[op]}, ${variant}` : benchmarks[op], ops, latencyMs.mean * 1e6, ...Object.values(published).map((of) => of[op]),
    ]),
  }],
});
