// Common code of the stock scenarios: the connection, the stock's code, and the check for data.
import exec from 'k6/execution';
import { Client, bind } from 'k6/x/machbase';
import sweep from 'k6/x/sweep';
import { duration, flag, oneOf, ofBase, text } from './settings.js';
import { results, run } from './sweeping.js';

const address = () => text('MACHBASE_URL', 'machbase://sys:manager@127.0.0.1:5656');
export const code = text('CODE', 'WISH');

export const minute = 60 * 1000;

// The limit of the published queries.
const limit = 100;

/**
 * Returns the parameters of the published queries: the code, `minutes` that ended `ago` minutes
 * ago, and the limit.
 */
export function lastMinutes(minutes, ago) {
  const to = Date.now() - ago * minute;
  return [code, new Date(to - minutes * minute), new Date(to), limit];
}

/** Calls fn; an error ends the test with one line. */
export function orAbort(fn) {
  try {
    return fn();
  } catch (e) {
    return exec.test.abort(e.message);
  }
}

/** Returns a statement as one line, without the script's indentation. */
export function oneLine(sql) {
  return sql.trim().replace(/\s+/g, ' ');
}

/**
 * The drivers of k6/x/machbase. Only a k6 of `make build-drivers` has all of them; others have
 * native.
 */
export const drivers = ['native', 'machgo', 'machcli'];

export const url = address();

/** Reports whether a JavaScript call runs many operations in Go (client.run). */
export const isInGo = () => flag('IN_GO', false);

/**
 * Returns a client for the settings. REUSE: prepare a statement once per connection instead of for
 * each execution. REUSE, DRIVER and TIMEOUT override the URL.
 */
export function newClient() {
  return clientOf(oneOf('DRIVER', drivers), flag('REUSE'));
}

/**
 * Returns a client with this driver, with or without statement reuse, regardless of the settings.
 */
export function clientOf(driver, reuse) {
  const statementCache = { true: 'auto', false: 'off' }[reuse];
  return new Client(address(), { driver, statementCache, timeout: duration('TIMEOUT') });
}

/**
 * Returns the base of a scenario's duet: `{ scenario, db, query, url, inGo }`, or undefined. query
 * returns the statement; `others` are settings of the scenario that may differ in the base.
 */
export function newBase(scenario, query, others = []) {
  return ofBase('MACHBASE_URL', ['DRIVER', 'REUSE', 'TIMEOUT', ...others], () => (
    { scenario, db: newClient(), query: query(), url: address(), inGo: isInGo() }
  ));
}

/**
 * For setup(): stops the test if the query finds fewer than `least` rows, so that a sweep never
 * measures empty answers. Passes facts and published results to the report. The facts are the
 * driver and statement reuse, unless the client has them. base is the base of a duet.
 */
export function prepare(db, query, params, least, published = [], facts = factsOf(db), base = undefined) {
  const { driver, ...how } = facts;
  orAbort(() => {
    requireRows(db, query, params, least);
    if (base) {
      requireRows(base.db, base.query, params, least);
      const { scenario } = base;
      sweep.meta({
        scenario,
        name: `${scenario}-duet`,
        base: { version: versionOf(base.db), url: base.url, query: base.query, ...factsOf(base.db, base.inGo) },
      });
    }
    sweep.meta({
      target: { kind: 'machbase', version: versionOf(db), driver, url },
      params: { code, ...how, query },
      published,
      results,
    });
  });
}

/**
 * Returns facts about a client; inGo means that client.run does its operations.
 *
 * @returns {{ driver: string, reuse: boolean, inGo?: boolean }}
 */
export function factsOf(db, inGo = false) {
  return { driver: db.driver, reuse: db.statementCache === 'auto', ...(inGo && { inGo }) };
}

function versionOf(db) {
  const [{ signature }] = db.query('select binary_signature as signature from v$version');
  return `v${signature.split('.', 3).join('.')}`;
}

function requireRows(db, query, params, least) {
  let found = 0;
  let why = '';
  try {
    found = db.query(query, params, { rows: 'discard' });
  } catch (e) {
    if (e.kind !== 'not_found') throw e;
    why = ` (${e.message})`;
  }
  if (found < least) {
    throw new Error(
      `the query finds ${found} rows for code ${code}, not ${least}${why}. ` +
      'Load the data first: k6 run scenarios/stock-load.js, with the same MACHBASE_URL; it lasts for an hour',
    );
  }
}

/**
 * Returns a function that runs the query once, reads and checks every row, and requires at least
 * `least` rows. The parameters are computed once per client, as in the published programs. inGo:
 * one call is many operations of client.run.
 */
export function queryOperation(db, query, params, least, expect, inGo = false) {
  // client.run reads frozen parameters only once. A Date can change even if it is frozen.
  const fixed = Object.freeze(params.map((value) => (value instanceof Date ? bind('datetime', value) : value)));
  if (inGo) {
    const work = { iterations: 1000, query, params: fixed, expect, minRows: least }; // the step ends the last call early
    return () => db.run(work);
  }
  const options = Object.freeze({ rows: 'discard', expect: Object.freeze(expect), minRows: least });
  return () => db.query(query, fixed, options);
}

/**
 * The default function of a stock sweep: connects, then runs the query repeatedly. base is the base
 * of a duet.
 */
export function sweepQuery(db, query, params, least, expect, base = undefined) {
  db.connect();
  if (base) base.db.connect();
  run(
    queryOperation(db, query, params, least, expect, isInGo()),
    base && queryOperation(base.db, base.query, params, least, expect, base.inGo),
  );
}
