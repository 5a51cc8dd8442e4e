// The published micro benchmark: one client, no pauses, the tick query (100 rows of an hour) and
// the roll-up query (60 rows) in turn: ITERATIONS counts both. A table has what Go's benchmarks
// print, ns/op, beside the published figures (ops/s in the first one is of one kind while the other
// takes its time as well).
// Source: machbase/neo-tester at b95bed6, stockbench and stock/BENCH_8.0.73.md.
// Settings: see README.md; CLIENTS has no part in it.
import sweep from 'k6/x/sweep';
import * as rollup from './lib/rollup.js';
import { code, lastMinutes, newBase, newClient, prepare, queryOperation } from './lib/stock.js';
import { run, sweepOptions, sweepReport } from './lib/sweeping.js';
import { query as tickQuery } from './lib/tick.js';

const scenario = 'stock-bench';

/** What go test -bench calls the operations. */
const benchmarks = { tick: 'BenchmarkSelect', rollup: 'BenchmarkSelectRollup' };

/** What was published of them on an Apple M5, by the client: nanoseconds an operation. */
const published = { 'api/machcli': { tick: 14861460 }, 'api/machgo': { tick: 4730629 } };

/** Rows of an answer of the tick query: its limit. */
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

/** Connects, and returns what does both operations. */
function inTurn(client) {
  client.connect();
  const tick = queryOperation(client, tickQuery, lastMinutes(60, 2), ticks, { code });
  const minutes = queryOperation(client, rollup.query, rollup.params(), rollup.least, { code });
  return () => {
    sweep.op('tick', tick);
    sweep.op('rollup', minutes);
  };
}

/** The report, and what `go test -bench` prints. */
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
