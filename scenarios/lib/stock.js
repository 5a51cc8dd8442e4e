// What the stock scenarios share: the settings of the connection, the queries, and the check that
// the data is loaded. Source: machbase/neo-tester at b95bed6, stock and stockgo.
import exec from 'k6/execution';
import { Client, bind } from 'k6/x/machbase';
import sweep from 'k6/x/sweep';

/** Only a k6 of `make build-drivers` has the drivers other than native. */
export const drivers = ['native', 'machgo', 'machcli'];

/** The settings of a connection. All but the address override the URL. */
export const machbase = {
  MACHBASE_URL: 'machbase://sys:manager@127.0.0.1:5656', DRIVER: { oneOf: drivers }, REUSE: { type: 'flag' }, TIMEOUT: { type: 'duration' },
};
export const duet = Object.keys(machbase);

/** Returns a client; REUSE: it prepares a statement once per connection. */
export function newClient(env) {
  return new Client(env.MACHBASE_URL, { driver: env.DRIVER, statementCache: { true: 'auto', false: 'off' }[env.REUSE], timeout: env.TIMEOUT });
}

export const minute = 60 * 1000;

/** The parameters of a query: a code, `minutes` that ended `ago` minutes ago, and the limit. */
export function lastMinutes(code, minutes, ago) {
  const to = Date.now() - ago * minute;
  return Object.freeze([code, bind('datetime', new Date(to - minutes * minute)), bind('datetime', new Date(to)), 100]);
}

export const oneLine = (sql) => sql.trim().replace(/\s+/g, ' ');

/** The published roll-up query: the last complete hour of a stock by minutes. */
export const rollup = ({ CODE }) => ({
  query: oneLine(`
  select /*+ SCAN_FORWARD(stock_rollup_1m) */ code, time,
         sum(sum_price) / sum(cnt) as avg_price, sum(sum_volume) as total_volume,
         sum(sum_bid) / sum(cnt) as avg_bid, sum(sum_ask) / sum(cnt) as avg_ask
    from stock_rollup_1m
   where code = ? and time between ? and ?
   group by code, time order by time limit ?`),
  params: lastMinutes(CODE, 60, 2),
  minRows: 60,
  expect: Object.freeze({ code: CODE }),
});

/** The published tick query: the ticks of a stock in the last minute. */
export const tick = ({ CODE }) => ({
  query: oneLine(`
  select code, time, price, volume, bid_price, ask_price
    from stock_tick
   where code = ? and time between ? and ?
   order by time limit ?`),
  params: lastMinutes(CODE, 1, 0),
  minRows: 1,
  expect: Object.freeze({ code: CODE }),
});

/**
 * Connects, and returns a function that runs the query once and checks every row; with IN_GO, one
 * call runs it many times (client.run). The parameters of a client stay the same, as published.
 */
export function lookup(db, own, { query, params, minRows, expect = undefined }) {
  db.connect();
  const work = { iterations: 1000, query, params, expect, minRows }; // the step ends the last call early
  const options = Object.freeze({ rows: 'discard', expect, minRows });
  return own.IN_GO ? () => db.run(work) : () => db.query(query, params, options);
}

/** Calls fn; an error ends the test with one line. */
export function orAbort(fn) {
  try {
    return fn();
  } catch (e) {
    return exec.test.abort(e.message);
  }
}

/** For setup(): ends the test if the query finds too few rows, and describes the run. */
export function describe(scenario, env, queryOf, db, base = undefined, more = {}) {
  const factsOf = (own, client) => ({ reuse: client.statementCache === 'auto', ...(own.IN_GO && { inGo: true }), query: queryOf(own).query });
  const targetOf = (own, client) => ({ version: versionOf(client), driver: client.driver, url: own.MACHBASE_URL });
  orAbort(() => {
    mustFind(db, env, queryOf(env));
    if (base) mustFind(base, env.base, queryOf(env.base));
    sweep.meta({
      scenario,
      name: base && `${scenario}-duet`,
      target: { kind: 'machbase', ...targetOf(env, db) },
      params: { code: env.CODE, ...factsOf(env, db) },
      base: base && { ...targetOf(env.base, base), ...factsOf(env.base, base) },
      ...more,
    });
  });
}

/** Returns the server's version. */
export function versionOf(db) {
  const [{ signature }] = db.query('select binary_signature as signature from v$version');
  return `v${signature.split('.', 3).join('.')}`;
}

function mustFind(db, { CODE }, { query, params, minRows }) {
  let found = 0;
  let why = '';
  try {
    found = db.query(query, params, { rows: 'discard' });
  } catch (e) {
    if (e.kind !== 'not_found') throw e;
    why = ` (${e.message})`;
  }
  if (found < minRows) {
    throw new Error(`the query finds ${found} rows for code ${CODE}, not ${minRows}${why}. `
      + 'Load the data first: k6 run scenarios/stock-load.js, with the same MACHBASE_URL; it lasts for an hour');
  }
}

const clients = [1, 8, 16, 32, 64, 128, 512];

/** A published sweep of the roll-up query, shown for its shape: its machine was another one. */
const published = (client, label, opsPerSecond) => ({
  op: client,
  label,
  source: 'machbase/neo-tester at b95bed6, machbase v8.0.73-rc3',
  machine: 'not told; the micro benchmark beside it ran on an Apple M5',
  points: clients.map((n, i) => ({ clients: n, opsPerSecond: opsPerSecond[i] })),
});

/** The published sweeps, 10,000 operations per client; `op` has the names of stock-drivers.js. */
export const rollups = [
  published('machcli', '2026/02/20, api/machcli', [827, 6030, 10641, 15877, 18289, 17141, 24157]),
  // Its title says stmt-reuse, but its command has no -reuse.
  published('machgo', '2026/02/20, api/machgo, titled stmt-reuse', [1828, 11586, 22420, 28869, 29689, 29273, 29874]),
  published('machcli', '2026/02/23, api/machcli', [824, 5946, 10512, 15898, 18314, 17043, 24264]),
  published('machgo', '2026/02/23, api/machgo', [1105, 6777, 12847, 19333, 21031, 24891, 25132]),
  published('machgo-reuse', '2026/02/20, api/machgo, stmt-reuse (-reuse)', [1719, 11443, 20843, 29231, 29594, 29497, 29725]),
];
