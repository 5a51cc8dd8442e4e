// Creates the tables of the stock benchmark and loads them with the published generator: ticks and
// their roll-up rows, from BACK minutes ago to AHEAD minutes from now. The sweeps have data during
// that time. Equal SEED and TPS give equal rows for equal times. Another run adds only the missing
// rows. Source: machbase/neo-tester at b95bed6, stockappendgo. Settings: see README.md.
import exec from 'k6/execution';
import { Counter } from 'k6/metrics';
import sweep from 'k6/x/sweep';
import { minute, newClient, orAbort } from './lib/stock.js';
import { flag, refuseSlips, wholeNumber } from './lib/settings.js';

refuseSlips('stock-load');
const back = wholeNumber('BACK', 75, 0);
const ahead = wholeNumber('AHEAD', 60, 0);
if (back + ahead === 0) sweep.refuse('BACK and AHEAD must not both be 0: there would be nothing to load');
const seed = wholeNumber('SEED', 1, 0);
const tps = wholeNumber('TPS', 1000, 200, 100000); // with fewer, some stocks have no tick in some minutes
const seconds = flag('SECONDS', false);
const reset = flag('RESET', false);

const rollupColumns = `( code varchar(20) primary key, time datetime basetime,
  sum_price double, sum_volume double, sum_bid double, sum_ask double, cnt integer )`;

// The tables, and the number of ticks per minute that one of their rows stands for.
const tables = [
  {
    name: 'stock_tick',
    columns: `( code varchar(20) primary key, time datetime basetime,
  price double, volume double, bid_price double, ask_price double )`,
    ticks: 'count(*)',
  },
  { name: 'stock_rollup_1m', columns: rollupColumns, ticks: 'sum(cnt)' },
  ...(seconds ? [{ name: 'stock_rollup_1s', columns: rollupColumns, ticks: 'sum(cnt)' }] : []),
];

const ticksPerMinute = 60 * tps;
const loaded = new Counter('stock_rows_loaded');
const db = newClient();

export const options = {
  scenarios: {
    // One iteration is one minute of data.
    'stock-load': { executor: 'per-vu-iterations', vus: 1, iterations: back + ahead, maxDuration: '1h' },
  },
  setupTimeout: '2m',
  teardownTimeout: '10m', // slow disks need time to write the loaded data
};

export function setup() {
  return orAbort(() => {
    for (const table of tables) {
      if (reset && exists(table.name)) db.exec(`drop table ${table.name}`);
      db.exec(`create tag table if not exists ${table.name} ${table.columns}`);
    }
    return { first: Math.floor(Date.now() / minute) * minute - back * minute };
  });
}

export default function ({ first }) {
  const from = new Date(first + exec.vu.iterationInScenario * minute);
  const to = new Date(from.getTime() + minute);
  orAbort(() => tables.forEach((table) => load(table, from, to)));
}

/**
 * Appended rows are readable only after a second or so, unless the server is asked to flush them.
 */
export function teardown() {
  orAbort(() => tables.forEach((table) => db.exec(`exec table_flush(${table.name})`)));
}

// load appends the rows of one minute to a table, unless they exist.
function load(table, from, to) {
  const [[there]] = db.query(
    `select ${table.ticks} from ${table.name} where time >= ? and time < ?`, [from, to], { rows: 'arrays' });
  if (there === ticksPerMinute) return;
  if (there) {
    throw new Error(`${table.name} holds ${there} ticks for the minute from ${from.toISOString()}, not ${ticksPerMinute}: ` +
      'other data, another SEED or TPS, or a load that was cut off; load into another database, or drop it with RESET=true');
  }

  const appender = db.appender(table.name);
  const generated = appender.generate(table.name, { from, to, seed, tps });
  const { accepted, rejected } = appender.close();
  if (accepted !== generated || rejected !== 0) {
    throw new Error(`${table.name}: of ${generated} rows the server accepted ${accepted} and rejected ${rejected}`);
  }
  loaded.add(accepted);
}

function exists(table) {
  return db.query('select count(*) as n from m$sys_tables where name = ?', [table.toUpperCase()])[0].n > 0;
}

/** Prints one line: what was loaded, and how fast. */
export function handleSummary({ metrics, state }) {
  const rows = metrics[loaded.name] ? metrics[loaded.name].values.count : 0;
  const took = state.testRunDurationMs / 1000;
  return { stdout: `\n${loaded.name}: ${rows} rows in ${took.toFixed(1)} s, ${Math.round(rows / took)} rows/s\n` };
}
