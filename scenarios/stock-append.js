// Appended rows per second under 1 to 512 clients: each client generates stock ticks in Go and
// appends them to a new table. One operation is ROWS rows, sent and acknowledged. At the end the
// run fails if the table does not have all acknowledged rows. KEEP=true keeps the table. Settings:
// see README.md.
import { sleep } from 'k6';
import exec from 'k6/execution';
import { Counter, Gauge } from 'k6/metrics';
import sweep from 'k6/x/sweep';
import { newClient, orAbort, url } from './lib/stock.js';
import { flag, wholeNumber } from './lib/settings.js';
import { results, sweepOptions, sweepReport, tenSeconds } from './lib/sweeping.js';
import { ratesOf } from './lib/tables.js';

const scenario = 'stock-append';
const hour = 3600 * 1000;
const table = 'stock_append_tick';

const tps = 1000; // ticks per second, as published: 100 for each 100 ms of the clock in the rows
const rows = wholeNumber('ROWS', 1000, 100, 1000000);
if (rows % 100 !== 0) sweep.refuse(`ROWS must be a multiple of 100, the ticks of 100 ms, but is "${rows}"`);
const seed = wholeNumber('SEED', 1, 0);
const keep = flag('KEEP', false);

// Acknowledged rows minus the rows in the table at the end.
const missing = new Counter('stock_append_missing');
const counted = new Gauge('stock_append_counted');

const db = newClient();

export const options = {
  ...sweepOptions(scenario, 'append', { thresholds: { stock_append_missing: ['count<=0'] } }, tenSeconds),
  teardownTimeout: '5m',
};

export function setup() {
  return orAbort(() => {
    drop();
    db.exec(`create tag table ${table} ( code varchar(20) primary key, time datetime basetime,
      price double, volume double, bid_price double, ask_price double )`);
    const [{ signature }] = db.query('select binary_signature as signature from v$version');
    sweep.meta({
      target: { kind: 'machbase', version: `v${signature.split('.', 3).join('.')}`, driver: db.driver, url },
      params: { rows, seed },
      results,
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

// append sends one batch and waits for the acknowledgement. Each VU has other ticks.
function append() {
  const from = new Date(time);
  time += (rows / tps) * 1000;
  try {
    if (!appender) {
      appender = db.appender(table);
      acknowledged = 0;
    }
    appender.generate('stock_tick', { from, to: new Date(time), seed: seed + exec.vu.idInTest, tps });
    const { accepted, reasons } = appender.sync();
    const batch = accepted - acknowledged;
    acknowledged = accepted;
    missing.add(batch);
    if (batch !== rows) throw new Error(`the server accepted ${batch} of ${rows} rows${reasons.map((r) => `; ${r.message}`).join('')}`);
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
  if (!keep) drop();
}

// drop waits while the server still has an open appender on the table, from a connection whose end
// it has not detected yet.
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
export function handleSummary(data) {
  return sweepReport(data, ({ steps }) => [{ ...ratesOf('rows', steps), notes: [verdict(data.metrics)] }]);
}

function verdict({ machbase_rows_acknowledged: taken, stock_append_counted: found, stock_append_missing: difference }) {
  if (!found) return `${scenario}: the table could not be counted, so the acknowledged rows are not verified`;
  const lost = difference.values.count;
  const says = lost > 0 ? `${lost} acknowledged rows are MISSING` : 'no acknowledged row is missing';
  return `${scenario}: ${taken ? taken.values.count : 0} rows acknowledged, ${found.values.value} in the table: ${says}`;
}
