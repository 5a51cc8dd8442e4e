// Creates the tables of the stock benchmark and loads them with the published generator: ticks and
// their roll-up rows, from BACK minutes ago to AHEAD minutes from now. The sweeps have data during
// that time. Equal SEED and TPS give equal rows for equal times. Another run adds only the missing
// rows. Source: machbase/neo-tester at b95bed6, stockappendgo. Settings: see README.md.
import exec from 'k6/execution';
import { Counter } from 'k6/metrics';
import sweep from 'k6/x/sweep';
import { machbase, minute, newClient, orAbort } from './lib/stock.js';

const env = sweep.settings({
  ...machbase,
  BACK: { usual: 75, from: 0 },
  AHEAD: { usual: 60, from: 0 },
  SEED: { usual: 1, from: 0 },
  TPS: { usual: 1000, from: 200, to: 100000 }, // with fewer, some stocks have no tick in some minutes
  SECONDS: false,
  RESET: false,
}, { sweep: [] });
const { BACK, AHEAD, SEED: seed, TPS: tps } = env;
if (BACK + AHEAD === 0) sweep.refuse('BACK and AHEAD must not both be 0: there would be nothing to load');

const columns = '( code varchar(20) primary key, time datetime basetime, sum_price double, sum_volume double, sum_bid double, sum_ask double, cnt integer )';
// The tables, and the number of ticks that one of their rows stands for.
const tables = [
  {
    name: 'stock_tick',
    columns: '( code varchar(20) primary key, time datetime basetime, price double, volume double, bid_price double, ask_price double )',
    ticks: 'count(*)',
  },
  { name: 'stock_rollup_1m', columns, ticks: 'sum(cnt)' },
  ...(env.SECONDS ? [{ name: 'stock_rollup_1s', columns, ticks: 'sum(cnt)' }] : []),
];
const loaded = new Counter('stock_rows_loaded');
const db = newClient(env);

export const options = {
  scenarios: { // an iteration is one minute of data
    'stock-load': { executor: 'per-vu-iterations', vus: 1, iterations: BACK + AHEAD, maxDuration: '1h' },
  },
  setupTimeout: '2m',
  teardownTimeout: '10m', // slow disks need time to write the loaded data
};

export function setup() {
  return orAbort(() => {
    for (const table of tables) {
      if (env.RESET && exists(table.name)) db.exec(`drop table ${table.name}`);
      db.exec(`create tag table if not exists ${table.name} ${table.columns}`);
    }
    return { first: Math.floor(Date.now() / minute) * minute - BACK * minute };
  });
}

export default function ({ first }) {
  const from = new Date(first + exec.vu.iterationInScenario * minute);
  orAbort(() => tables.forEach((table) => load(table, from, new Date(from.getTime() + minute))));
}

/** Makes the rows readable now; without it, that takes the server a second or so. */
export function teardown() {
  orAbort(() => tables.forEach((table) => db.exec(`exec table_flush(${table.name})`)));
}

/** Appends the rows of one minute to a table, unless they exist. */
function load({ name, ticks }, from, to) {
  const [[there]] = db.query(`select ${ticks} from ${name} where time >= ? and time < ?`, [from, to], { rows: 'arrays' });
  if (there === 60 * tps) return;
  if (there) {
    throw new Error(`${name} holds ${there} ticks for the minute from ${from.toISOString()}, not ${60 * tps}: `
      + 'other data, another SEED or TPS, or a load that was cut off; load into another database, or drop it with RESET=true');
  }
  const appender = db.appender(name);
  const generated = appender.generate(name, { from, to, seed, tps });
  const { accepted, rejected } = appender.close();
  if (accepted !== generated || rejected !== 0) {
    throw new Error(`${name}: of ${generated} rows the server accepted ${accepted} and rejected ${rejected}`);
  }
  loaded.add(accepted);
}

const exists = (table) => db.query('select count(*) as n from m$sys_tables where name = ?', [table.toUpperCase()])[0].n > 0;

/** Prints one line: what was loaded, and how fast. */
export function handleSummary({ metrics, state }) {
  const rows = metrics[loaded.name] ? metrics[loaded.name].values.count : 0;
  const took = state.testRunDurationMs / 1000;
  return { stdout: `\n${loaded.name}: ${rows} rows in ${took.toFixed(1)} s, ${Math.round(rows / took)} rows/s\n` };
}
