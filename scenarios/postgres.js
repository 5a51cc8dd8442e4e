// Rows of PostgreSQL under 1 to 64 clients, each with one connection: select a row by its key, or
// insert a row. Settings: see README.md.
//
//   scripts/servers.sh with postgres -- bin/k6 run scenarios/postgres.js -e CLIENTS=1,8
import sql from 'k6/x/sql';
import driver from 'k6/x/sql/driver/postgres';
import sweep from 'k6/x/sweep';
import { bytes, duration, ofBase, shares, text, wholeNumber, wholeNumbers } from './lib/settings.js';
import { fileName, results, run, sweepOptions, sweepReport, tenSeconds } from './lib/sweeping.js';

const scenario = 'postgres';
const table = 'xk6_sweep_rows';
const rows = wholeNumber('ROWS', 100000, 1, 100000000);
const size = bytes('VALUE', 100, 1, 1048576);
const mix = shares('MIX', ['select', 'insert'], 'select:9,insert:1');

const make = () => ({ url: text('POSTGRES_URL', 'postgres://postgres@127.0.0.1:5432/postgres?sslmode=disable'), timeout: duration('TIMEOUT', '60s') });
const change = make();
const base = ofBase('POSTGRES_URL', ['TIMEOUT'], make);

const open = ({ url, timeout }) => sql.open(driver, url, { max_open_conns: 1, timeout });

// By default the server accepts 100 connections.
export const options = sweepOptions(scenario, scenario, {
  clients: wholeNumbers('CLIENTS', [1, 8, 16, 32, 64], 100000), opNames: Object.keys(mix),
}, tenSeconds);

/** Calls fn with a connection to each server. */
function onEach(fn) {
  return [change, ...(base ? [base] : [])].map((side) => {
    const db = open(side);
    try {
      return fn(db);
    } finally {
      db.close();
    }
  });
}

export function setup() {
  const [version, baseVersion] = onEach((db) => {
    db.exec(`drop table if exists ${table}`);
    db.exec(`create table ${table} (id bigserial primary key, value text not null)`);
    db.exec(`insert into ${table} (value) select repeat('x', $1::integer) from generate_series(1, $2::integer)`, size, rows);
    db.exec(`analyze ${table}`);
    return `v${db.query('show server_version')[0].server_version.split(' ')[0]}`;
  });
  sweep.meta({
    scenario, target: { kind: 'postgres', version, url: change.url }, params: { rows, value: size, mix }, results,
    ...(base ? { name: fileName(scenario, 'duet'), base: { version: baseVersion, url: base.url } } : {}),
  });
}

export default function () {
  const sides = [change, ...(base ? [base] : [])].map((side) => {
    const db = open(side);
    return { db, work: working(db) };
  });
  run(sides[0].work, sides[1] && sides[1].work);
  for (const { db } of sides) db.close();
}

/** Connects, and returns the operation. */
function working(db) {
  const value = 'x'.repeat(size);
  const select = () => {
    const id = 1 + Math.floor(Math.random() * rows);
    const found = db.query(`select value from ${table} where id = $1`, id);
    if (found.length !== 1 || found[0].value.length !== size) throw new Error(`row ${id} is missing or wrong`);
  };
  const insert = () => db.exec(`insert into ${table} (value) values ($1)`, value);
  select(); // connects; then all clients of the step start together
  const { select: selects = 0, insert: inserts = 0 } = mix;
  return () => (Math.random() * (selects + inserts) < selects ? sweep.op('select', select) : sweep.op('insert', insert));
}

export function teardown() {
  onEach((db) => db.exec(`drop table if exists ${table}`)); // both can be the same server
}

export const handleSummary = sweepReport;
