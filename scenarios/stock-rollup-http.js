// The roll-up query of stock-rollup.js over machbase-neo's HTTP API (/db/query), with k6/http: 60
// rows per operation, each checked. The API has no parameters, so the statement contains them.
// Settings: see README.md.
import http from 'k6/http';
import sweep from 'k6/x/sweep';
import { least, params, query } from './lib/rollup.js';
import { duration, text } from './lib/settings.js';
import { code, orAbort } from './lib/stock.js';
import { results, sweepOptions, sweepReport, tenSeconds } from './lib/sweeping.js';

const url = text('MACHBASE_HTTP_URL', 'http://127.0.0.1:5654');
const timeout = duration('TIMEOUT', '60s');

export const options = sweepOptions('stock-rollup-http', 'rollup', {}, tenSeconds);

/**
 * Runs a statement, and returns its rows.
 *
 * @returns {any[][]}
 */
function ask(sql) {
  const response = http.get(`${url}/db/query?q=${encodeURIComponent(sql)}`, { timeout, tags: { name: 'query' } });
  if (response.error) throw new Error(response.error);
  if (response.status !== 200) throw new Error(`status ${response.status}: ${response.json('reason')}`);
  return /** @type {any} */ (response.json('data.rows'));
}

/** The query with its parameters: a time is a number of nanoseconds. */
function statement() {
  const values = params();
  return query.replace(/\?/g, () => {
    const value = values.shift();
    if (value instanceof Date) return `${value.getTime()}000000`;
    return typeof value === 'string' ? `'${value.replace(/'/g, "''")}'` : value;
  });
}

function rollup(sql) {
  const rows = ask(sql);
  if (rows.length < least) throw new Error(`the answer has ${rows.length} rows, not ${least}: run stock-load.js first; what it loads lasts for an hour`);
  const other = rows.find((row) => row[0] !== code);
  if (other) throw new Error(`a row is of the code ${other[0]}, not ${code}`);
}

export function setup() {
  orAbort(() => {
    rollup(statement());
    const [[signature]] = ask('select binary_signature from v$version');
    sweep.meta({
      target: { kind: 'machbase', version: `v${signature.split('.', 3).join('.')}`, url },
      params: { code, query },
      results,
    });
  });
}

export default function () {
  const sql = statement(); // the parameters of a client stay the same, as in stock-rollup.js
  sweep.run(() => rollup(sql));
}

export const handleSummary = sweepReport;
