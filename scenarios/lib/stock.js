// What the stock scenarios have in common: the connection, the code, and the check that there is
// something to read.
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
 * Parameters of the published queries: the code, `minutes` that ended `ago` minutes before now, and
 * the limit.
 */
export function lastMinutes(minutes, ago) {
  const to = Date.now() - ago * minute;
  return [code, new Date(to - minutes * minute), new Date(to), limit];
}

/** Calls fn; an error ends the whole test, with one line. */
export function orAbort(fn) {
  try {
    return fn();
  } catch (e) {
    return exec.test.abort(e.message);
  }
}

/**
 * A statement as one line: what the server and the report get is then not the script's indentation.
 */
export function oneLine(sql) {
  return sql.trim().replace(/\s+/g, ' ');
}

/**
 * The drivers of k6/x/machbase. `make build-drivers` builds a k6 that has all of them; the others
 * have native.
 */
export const drivers = ['native', 'machgo', 'machcli'];

export const url = address();

/** Whether a call of JavaScript does many operations, in Go (client.run), and not one. */
export const isInGo = () => flag('IN_GO', false);

/**
 * A client as the settings ask for it. REUSE is whether a statement is prepared once per
 * connection, or prepared, executed and freed each time; it, DRIVER and TIMEOUT override what the
 * URL says.
 */
export function newClient() {
  return clientOf(oneOf('DRIVER', drivers), flag('REUSE'));
}

/**
 * A client with this driver, and with or without statement reuse, whatever the settings say of
 * these two.
 */
export function clientOf(driver, reuse) {
  const statementCache = { true: 'auto', false: 'off' }[reuse];
  return new Client(address(), { driver, statementCache, timeout: duration('TIMEOUT') });
}

/**
 * The base of a scenario's duet, where the settings ask for one: `{ scenario, db, query, url,
 * inGo }`. query makes the statement; `others` are settings of the scenario that the base may have
 * otherwise.
 */
export function newBase(scenario, query, others = []) {
  return ofBase('MACHBASE_URL', ['DRIVER', 'REUSE', 'TIMEOUT', ...others], () => (
    { scenario, db: newClient(), query: query(), url: address(), inGo: isInGo() }
  ));
}

/**
 * For setup(): stops the test unless the query finds at least `least` rows, so that a sweep never
 * measures empty answers, and tells the report what is measured, and what was published of the
 * same. The facts are the driver and whether statements are reused, where they are not those of the
 * client. base is that of a duet.
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
 * What is measured of a client; inGo: its operations are done by client.run.
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
 * A function that runs the query once, reads every row and checks it, and that there are at least
 * `least` rows. The parameters are worked out once per client, as the published programs do. inGo:
 * a call of it is many operations, which client.run does.
 */
export function queryOperation(db, query, params, least, expect, inGo = false) {
  // Frozen, they are read once and not at every operation; a Date can change even when it is
  // frozen.
  const fixed = Object.freeze(params.map((value) => (value instanceof Date ? bind('datetime', value) : value)));
  if (inGo) {
    const work = { iterations: 1000, query, params: fixed, expect, minRows: least }; // the step's share ends the call before
    return () => db.run(work);
  }
  const options = Object.freeze({ rows: 'discard', expect: Object.freeze(expect), minRows: least });
  return () => db.query(query, fixed, options);
}

/**
 * The default function of a stock sweep: a client connects, and then runs the query again and
 * again. base is that of a duet.
 */
export function sweepQuery(db, query, params, least, expect, base = undefined) {
  db.connect();
  if (base) base.db.connect();
  run(
    queryOperation(db, query, params, least, expect, isInGo()),
    base && queryOperation(base.db, base.query, params, least, expect, base.inGo),
  );
}
