// The roll-up query of stock-rollup.js over machbase-neo's HTTP API (/db/query), with k6/http: 60
// rows per operation, each checked. The API has no parameters, so the statement contains them.
// Settings: see README.md.
import http from 'k6/http';
import sweep from 'k6/x/sweep';
import { minute, orAbort, rollup } from './lib/stock.js';

const env = sweep.settings({ MACHBASE_HTTP_URL: 'http://127.0.0.1:5654', CODE: 'WISH', TIMEOUT: '60s' });
const { query, minRows } = rollup(env);

export const options = sweep.options({
  scenario: 'stock-rollup-http', op: 'rollup', clients: [1, 8, 16, 32, 64, 128, 512], duration: '10s', warmup: '2s', pause: '1s', maxDuration: '1h',
});

/** Runs a statement, and returns its rows. */
function ask(sql) {
  const response = http.get(`${env.MACHBASE_HTTP_URL}/db/query?q=${encodeURIComponent(sql)}`, { timeout: env.TIMEOUT, tags: { name: 'query' } });
  if (response.error) throw new Error(response.error);
  if (response.status !== 200) throw new Error(`status ${response.status}: ${response.json('reason')}`);
  return /** @type {any} */ (response.json('data.rows'));
}

/** Returns the query with its parameters; a time is a number of nanoseconds. */
function statement() {
  const to = Date.now() - 2 * minute;
  const values = [`'${env.CODE.replace(/'/g, "''")}'`, `${to - 60 * minute}000000`, `${to}000000`, '100'];
  return query.replace(/\?/g, () => values.shift());
}

function lookUp(sql) {
  const rows = ask(sql);
  if (rows.length < minRows) throw new Error(`the answer has ${rows.length} rows, not ${minRows}: run stock-load.js first; what it loads lasts for an hour`);
  const other = rows.find((row) => row[0] !== env.CODE);
  if (other) throw new Error(`a row is of the code ${other[0]}, not ${env.CODE}`);
}

export function setup() {
  orAbort(() => {
    lookUp(statement());
    const [[signature]] = ask('select binary_signature from v$version');
    sweep.meta({
      target: { kind: 'machbase', version: `v${signature.split('.', 3).join('.')}`, url: env.MACHBASE_HTTP_URL }, params: { code: env.CODE, query },
    });
  });
}

export default function () {
  const sql = statement(); // the parameters of a client stay the same, as in stock-rollup.js
  sweep.run(() => lookUp(sql));
}

export const handleSummary = (data) => sweep.report(data);
