// The published micro benchmark: one client, no pauses, the tick query (100 rows of an hour) and the roll-up query (60 rows) in
// turn: OPS counts both. Prints what Go's benchmarks print, ns/op, beside the published figures (ops/s in the table is of one kind
// while the other takes its time as well). Source: machbase/neo-tester at b95bed6, stockbench and stock/BENCH_8.0.73.md.
// Settings: see README.md; CLIENTS has no part in it.
import sweep from 'k6/x/sweep';
import * as rollup from './lib/rollup.js';
import { code, lastMinutes, newClient, prepare, queryOperation } from './lib/stock.js';
import { results, sweepOptions, sweepReport } from './lib/sweeping.js';
import { query as tickQuery } from './lib/tick.js';

const scenario = 'stock-bench';

/** What go test -bench calls the operations, and what was published of them: nanoseconds an operation, on an Apple M5. */
const benchmarks = {
  tick: { name: 'BenchmarkSelect', published: '14861460 (api/machcli), 4730629 (api/machgo)' },
  rollup: { name: 'BenchmarkSelectRollup', published: 'none' },
};

/** Rows of an answer of the tick query: its limit. */
const ticks = 100;

const db = newClient();

export const options = sweepOptions(scenario, scenario, { clients: [1], ops: ['tick', 'rollup'] });

export function setup() {
  prepare(db, tickQuery, lastMinutes(60, 2), ticks);
  prepare(db, rollup.query, rollup.params(), rollup.least);
  sweep.meta({ params: { query: `tick: ${tickQuery}; rollup: ${rollup.query}` } });
}

export default function () {
  db.connect();
  const tick = queryOperation(db, tickQuery, lastMinutes(60, 2), ticks, { code });
  const minutes = queryOperation(db, rollup.query, rollup.params(), rollup.least, { code });
  sweep.run(() => {
    sweep.op('tick', tick);
    sweep.op('rollup', minutes);
  });
}

/** The report, and lines as `go test -bench` prints them. */
export function handleSummary(data) {
  const lines = [];
  const shown = sweepReport(data, (report, markdown) => {
    lines.push(...report.steps.map(line));
    return markdown;
  });
  return { ...shown, stdout: `${shown.stdout}\n${lines.join('\n')}\n` };
}

function line({ op, ops, latencyMs }) {
  const { name, published } = benchmarks[op];
  const mean = Math.round(latencyMs.mean * 1e6);
  return `${name.padEnd(22)} ${String(ops).padStart(9)} ${String(mean).padStart(11)} ns/op    published: ${published}`;
}
