// The published benchmark of key-value stores on NATS JetStream, go-orb and go-micro: its 18 rows,
// with the published payloads and iterations, over one connection, one row after another. The
// tables have the published columns (bytes on the wire instead of allocations) and the ratios;
// those of lists as published and like for like. Source: go-orb/plugins,
// kvstore/natsjs_micro_tests. extensions/nats/kvlayout/rows describes the rows.
//
// Rows with values of 1 MiB write up to 1.3 GB, which is deleted again. The server has to accept
// such messages:
//   scripts/servers.sh with nats -- bin/k6 run scenarios/natsjs-kv.js
//   bin/k6 run scenarios/natsjs-kv.js -e LAYOUT=orb -e ROWS=OrbSet,OrbGet -e ITERATIONS=1000
// Settings: see README.md. ITERATIONS applies to each row, but rows that read or write all keys of
// all tables do at most the published 6.
import { natsjsRows } from 'k6/x/nats';
import sweep from 'k6/x/sweep';
import { layouts, newClient, target } from './lib/nats.js';
import { tables } from './lib/natsjs.js';
import { quiet } from './lib/options.js';
import { duration, refuseSlips, someOf, text, wholeNumber } from './lib/settings.js';
import { results, sweepReport } from './lib/sweeping.js';

const scenario = 'natsjs-kv';
refuseSlips(scenario);
const database = 'natsjs-kv';

const known = natsjsRows.filter(({ layout }) => layouts.includes(layout));
const asked = someOf('ROWS', known.map(({ name }) => name));
const rows = known.filter(({ name }) => asked.includes(name));

const wanted = wholeNumber('ITERATIONS', undefined, 1, 1000000);
const fill = { tables: wholeNumber('TABLES', 100, 1, 10000), keys: wholeNumber('KEYS', 1000, 1, 100000) };

// Rows without published figures do as many iterations as the published row of the same pair and
// loop. Rows that read or write all keys of all tables never do more than the published one.
const slow = natsjsRows.find(({ name }) => name === 'MicroList').published.iterations;
function iterations(row) {
  if (row.name === 'MicroList' || (row.layout === 'micro' && !row.published)) return Math.min(wanted || slow, slow);
  const { published } = row.published ? row : natsjsRows.find(({ pair, loop }) => pair === row.pair && loop === row.loop);
  return wanted || published.iterations;
}

const client = newClient();

export const options = {
  ...sweep.options({
    scenario,
    clients: [1],
    untilDone: true,
    variants: rows.map(({ name }) => name),
    quiet: quiet(),
    maxDuration: duration('MAX_DURATION', '1h'),
    gates: text('GATES'),
  }),
  setupTimeout: '2m',
};

export function setup() {
  client.connect();
  sweep.meta({ target: target(client), params: { rows: rows.map(({ name }) => name).join(','), ...fill, ...(wanted ? { rowIterations: wanted } : {}) }, results });
}

// Each row is a step, and begins with an empty database. It is filled before the start, outside of
// the measured time.
export default function () {
  const row = rows.find(({ name }) => name === sweep.step().variant);
  const run = client.natsjsRow(row.name, { database, ...fill });
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

// The rows of a pair in both layouts are compared side by side.
const sideBySide = layouts.map((name) => ({
  name,
  ops: Object.fromEntries(rows.filter(({ layout }) => layout === name).map((row) => [row.name, row.pair])),
})).filter(({ ops }) => Object.keys(ops).length > 0);

/** Returns the report, with the published columns and the ratios of go-micro to go-orb. */
export const handleSummary = (data) => sweepReport(data, ({ steps }) => tables(rows, steps), layouts.length > 1 ? { sideBySide } : {});
