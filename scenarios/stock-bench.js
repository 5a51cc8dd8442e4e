// The published micro benchmark: one client without pauses, which runs the tick query (100 rows of
// an hour) and the roll-up query (60 rows) alternately; ITERATIONS counts both. One table has
// ns/op, as Go's benchmarks print it, and the published figures. In the first table, ops/s of one
// kind includes the time of the other kind. Source: machbase/neo-tester at b95bed6, stockbench and
// stock/BENCH_8.0.73.md. Settings: see README.md; CLIENTS has no effect.
import sweep from 'k6/x/sweep';
import * as rollup from './lib/rollup.js';
import { code, lastMinutes, newBase, newClient, prepare, queryOperation } from './lib/stock.js';
import { run, sweepOptions, sweepReport } from './lib/sweeping.js';
import { query as tickQuery } from './lib/tick.js';

const scenario = 'stock-bench';

/** The names of the operations in go test -bench. */
const benchmarks = { tick: 'BenchmarkSelect', rollup: 'BenchmarkSelectRollup' };

/** Published figures for an Apple M5, by client: nanoseconds per operation. */
const published = { 'api/machcli': { tick: 14861460 }, 'api/machgo': { tick: 4730629 } };

/** Rows of an answer to the tick query: its limit. */
const ticks = 100;

const db = newClient();
const base = newBase(scenario, () => tickQuery);

export const options = sweepOptions(scenario, scenario, { clients: [1], opNames: ['tick', 'rollup'] });

export function setup() {
  prepare(db, tickQuery, lastMinutes(60, 2), ticks, undefined, undefined, base);
  prepare(db, rollup.query, rollup.params(), rollup.least);
  sweep.meta({ params: { query: `tick: ${tickQuery}; rollup: ${rollup.query}` } });
}

export default function () {
  run(inTurn(db), base && inTurn(base.db));
}

/** Connects, and returns a function that runs both operations. */
function inTurn(client) {
  client.connect();
  const tick = queryOperation(client, tickQuery, lastMinutes(60, 2), ticks, { code });
  const minutes = queryOperation(client, rollup.query, rollup.params(), rollup.least, { code });
  return () => {
    sweep.op('tick', tick);
    sweep.op('rollup', minutes);
  };
}

/** Returns the report, and the output of `go test -bench`. */
export function handleSummary(data) {
  return sweepReport(data, ({ steps }) => [{
    title: 'As go test -bench prints it, beside the published figures',
    columns: [
      { name: 'benchmark' }, { name: 'iterations' }, { name: 'ns/op', better: 'lower', digits: 0 },
      ...Object.keys(published).map((client) => ({ name: `published, ${client}`, unit: 'ns/op', digits: 0 })),
    ],
    rows: steps.map(({ op, ops, latencyMs, variant }) => [
      variant ? `${benchmarks[op]}, ${variant}` : benchmarks[op], ops, latencyMs.mean * 1e6, ...Object.values(published).map((of) => of[op]),
    ]),
  }]);
}
