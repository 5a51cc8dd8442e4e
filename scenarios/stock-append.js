// Appended rows per second under 1 to 512 clients: each client generates stock ticks in Go and
// appends them to a new table. One operation is ROWS rows, sent and acknowledged. At the end the
// run fails if the table does not have all acknowledged rows. KEEP=true keeps the table. Settings:
// see README.md.
import { sleep } from 'k6';
import exec from 'k6/execution';
import { Counter, Gauge } from 'k6/metrics';
import sweep from 'k6/x/sweep';
import { machbase, newClient, orAbort, versionOf } from './lib/stock.js';
import { ratesOf } from './lib/tables.js';

const env = sweep.settings({ ...machbase, ROWS: { usual: 1000, from: 100, to: 1000000 }, SEED: { usual: 1, from: 0 }, KEEP: false });
if (env.ROWS % 100 !== 0) sweep.refuse(`ROWS must be a multiple of 100, the ticks of 100 ms, but is "${env.ROWS}"`);
const table = 'stock_append_tick';
const tps = 1000; // ticks per second, as published: 100 for each 100 ms of the clock in the rows
const hour = 3600 * 1000;

const missing = new Counter('stock_append_missing'); // acknowledged rows minus those in the table
const counted = new Gauge('stock_append_counted');
const db = newClient(env);

export const options = {
  ...sweep.options({
    scenario: 'stock-append', op: 'append', clients: [1, 8, 16, 32, 64, 128, 512], duration: '10s', warmup: '2s', pause: '1s', maxDuration: '1h',
    thresholds: { stock_append_missing: ['count<=0'] },
  }),
  teardownTimeout: '5m',
};

export function setup() {
  return orAbort(() => {
    drop();
    db.exec(`create tag table ${table} ( code varchar(20) primary key, time datetime basetime,
      price double, volume double, bid_price double, ask_price double )`);
    sweep.meta({
      target: { kind: 'machbase', version: versionOf(db), driver: db.driver, url: env.MACHBASE_URL }, params: { rows: env.ROWS, seed: env.SEED },
    });
    return { first: Math.floor(Date.now() / hour) * hour }; // the generator can start here without the ticks before
  });
}

let appender; // of this client, until its connection closes
let acknowledged; // rows of the appender
let time; // of the next row

export default function ({ first }) {
  appender = null;
  time = time || first;
  db.connect();
  sweep.run(append);
}

/** Sends one batch and waits for the acknowledgement. Each VU has other ticks. */
function append() {
  const from = new Date(time);
  time += (env.ROWS / tps) * 1000;
  try {
    if (!appender) {
      appender = db.appender(table);
      acknowledged = 0;
    }
    appender.generate('stock_tick', { from, to: new Date(time), seed: env.SEED + exec.vu.idInTest, tps });
    const { accepted, reasons } = appender.sync();
    const batch = accepted - acknowledged;
    acknowledged = accepted;
    missing.add(batch);
    if (batch !== env.ROWS) throw new Error(`the server accepted ${batch} of ${env.ROWS} rows${reasons.map((r) => `; ${r.message}`).join('')}`);
  } catch (e) {
    appender = null;
    db.close();
    throw e;
  }
}

export function teardown() {
  db.exec(`exec table_flush(${table})`);
  const [{ n }] = db.query(`select count(*) as n from ${table}`);
  counted.add(n);
  missing.add(-n);
  if (!env.KEEP) drop();
}

/** Drops the table; waits while an appender of a lost connection is still open in the server. */
function drop() {
  for (let tries = 50; ; tries -= 1) {
    try {
      db.exec(`drop table ${table}`);
      return;
    } catch (e) {
      if (e.kind === 'not_found') return;
      if (e.kind !== 'busy' || tries === 0) throw e;
      sleep(0.1);
    }
  }
}

/** Returns the report, the rows per second of each step, and the count of the table. */
export const handleSummary = (data) => sweep.report(data, { tables: ({ steps }) => [{ ...ratesOf('rows', steps), notes: [verdict(data.metrics)] }] });

function verdict({ machbase_rows_acknowledged: taken, stock_append_counted: found, stock_append_missing: difference }) {
  if (!found) return 'stock-append: the table could not be counted, so the acknowledged rows are not verified';
  const lost = difference.values.count;
  const says = lost > 0 ? `${lost} acknowledged rows are MISSING` : 'no acknowledged row is missing';
  return `stock-append: ${taken ? taken.values.count : 0} rows acknowledged, ${found.values.value} in the table: ${says}`;
}
