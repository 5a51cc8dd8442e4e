// The published benchmark of key-value stores on NATS JetStream, go-orb and go-micro: its 18 rows,
// with the published payloads and iterations, over one connection, one row after another. The
// tables have the published columns (bytes on the wire instead of allocations) and the ratios;
// those of lists as published and like for like. Source: go-orb/plugins,
// kvstore/natsjs_micro_tests. extensions/nats/kvlayout/rows.go describes the rows.
//
// Rows with values of 1 MiB write up to 1.3 GB, which is deleted again. The server has to accept
// such messages:
//   scripts/servers.sh with nats -- bin/k6 run scenarios/natsjs-kv.js
//   bin/k6 run scenarios/natsjs-kv.js -e LAYOUT=orb -e ROWS=OrbSet,OrbGet -e ITERATIONS=1000
// Settings: see README.md. ITERATIONS applies to each row, but rows that read or write all keys of
// all tables do at most the published 6.
import { natsjsRows } from 'k6/x/nats';
import sweep from 'k6/x/sweep';
import { layouts, newClient, server, targetOf } from './lib/nats.js';
import { tables } from './lib/natsjs.js';

const env = sweep.settings({
  ...server, LAYOUT: { someOf: layouts }, ROWS: { someOf: natsjsRows.map(({ name }) => name) }, ITERATIONS: { type: 'integer', to: 1000000 },
  TABLES: { usual: 100, to: 10000 }, KEYS: { usual: 1000, to: 100000 },
}, { sweep: ['QUIET', 'MAX_DURATION', 'GATES', 'RESULTS'] });
const rows = natsjsRows.filter(({ name, layout }) => env.LAYOUT.includes(layout) && env.ROWS.includes(name));
const names = rows.map(({ name }) => name);
if (names.length === 0) sweep.refuse(`ROWS must have rows of LAYOUT, which is ${env.LAYOUT.join(', ')}`);

// Rows without published figures do as many iterations as the published row of the same pair and
// loop. Rows that read or write all keys of all tables never do more than the published one.
const slow = natsjsRows.find(({ name }) => name === 'MicroList').published.iterations;
function iterations(row) {
  if (row.name === 'MicroList' || (row.layout === 'micro' && !row.published)) return Math.min(env.ITERATIONS || slow, slow);
  const { published } = row.published ? row : natsjsRows.find(({ pair, loop }) => pair === row.pair && loop === row.loop);
  return env.ITERATIONS || published.iterations;
}

const client = newClient(env);
const fill = { tables: env.TABLES, keys: env.KEYS };

export const options = {
  ...sweep.options({ scenario: 'natsjs-kv', clients: [1], untilDone: true, variants: names, maxDuration: '1h' }),
  setupTimeout: '2m',
};

export function setup() {
  client.connect();
  sweep.meta({ target: targetOf(client, env), params: { rows: names.join(','), ...fill, ...(env.ITERATIONS && { rowIterations: env.ITERATIONS }) } });
}

// Each row is a step, and begins with an empty database. It is filled before the start, outside of
// the measured time.
export default function () {
  const row = rows.find(({ name }) => name === sweep.step().variant);
  const run = client.natsjsRow(row.name, { database: 'natsjs-kv', ...fill });
  let left = iterations(row);
  let unfilled;
  client.connect();
  try {
    run.drop('10m');
    run.fill('10m');
  } catch (e) {
    unfilled = new Error(`${row.name}: ${e.message}`);
  }
  sweep.run(() => {
    if (unfilled) { // there is nothing to read
      sweep.done();
      throw unfilled;
    }
    const { succeeded, failed } = run.run({ iterations: Math.min(left, 1000) });
    left -= succeeded + failed;
    if (left === 0) sweep.done();
  });
  run.drop('10m');
}

/** Returns the report, with the published columns and the ratios of go-micro to go-orb. */
export const handleSummary = (data) => sweep.report(data, { tables: ({ steps }) => tables(rows, steps) });
