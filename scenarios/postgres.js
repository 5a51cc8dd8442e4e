// Rows of PostgreSQL under 1 to 64 clients, each with one connection: select a row by its key, or
// insert a row. Settings: see README.md.
//
//   scripts/servers.sh with postgres -- bin/k6 run scenarios/postgres.js -e CLIENTS=1,8
import sql from 'k6/x/sql';
import driver from 'k6/x/sql/driver/postgres';
import sweep from 'k6/x/sweep';

const env = sweep.settings({
  POSTGRES_URL: 'postgres://postgres@127.0.0.1:5432/postgres?sslmode=disable',
  TIMEOUT: '60s',
  ROWS: { usual: 100000, to: 100000000 },
  VALUE: { type: 'bytes', usual: 100, to: 1048576 },
  MIX: { sharesOf: ['select', 'insert'], usual: 'select:9,insert:1' },
}, { base: ['POSTGRES_URL', 'TIMEOUT'] });
const table = 'xk6_sweep_rows';
const sides = [env, env.base].filter(Boolean);

const open = ({ POSTGRES_URL, TIMEOUT }) => sql.open(driver, POSTGRES_URL, { max_open_conns: 1, timeout: TIMEOUT });

export const options = {
  ...sweep.options({ // by default the server accepts 100 connections
    scenario: 'postgres', op: 'postgres', opNames: Object.keys(env.MIX), clients: [1, 8, 16, 32, 64], duration: '10s', warmup: '2s', pause: '1s', maxDuration: '1h',
  }),
  setupTimeout: '2m',
};

export function setup() {
  const [target, base] = sides.map((side) => {
    const db = open(side);
    db.exec(`drop table if exists ${table}`);
    db.exec(`create table ${table} (id bigserial primary key, value text not null)`);
    db.exec(`insert into ${table} (value) select repeat('x', $1::integer) from generate_series(1, $2::integer)`, env.VALUE, env.ROWS);
    db.exec(`analyze ${table}`);
    const [{ server_version: version }] = db.query('show server_version');
    db.close();
    return { version: `v${version.split(' ')[0]}`, url: side.POSTGRES_URL };
  });
  sweep.meta({
    scenario: 'postgres', name: base && 'postgres-duet', target: { kind: 'postgres', ...target }, base, params: { rows: env.ROWS, value: env.VALUE, mix: env.MIX },
  });
}

export default function () {
  const clients = sides.map(open);
  const [change, base] = clients.map(working);
  sweep.run({ change, base });
  for (const db of clients) db.close();
}

/** Connects, and returns the operation. */
function working(db) {
  const value = 'x'.repeat(env.VALUE);
  const select = () => {
    const id = 1 + Math.floor(Math.random() * env.ROWS);
    const found = db.query(`select value from ${table} where id = $1`, id);
    if (found.length !== 1 || found[0].value.length !== env.VALUE) throw new Error(`row ${id} is missing or wrong`);
  };
  const insert = () => db.exec(`insert into ${table} (value) values ($1)`, value);
  select(); // connects; then all clients of the step start together
  const { select: selects = 0, insert: inserts = 0 } = env.MIX;
  return () => (Math.random() * (selects + inserts) < selects ? sweep.op('select', select) : sweep.op('insert', insert));
}

export function teardown() {
  for (const side of sides) { // both can be the same server
    const db = open(side);
    db.exec(`drop table if exists ${table}`);
    db.close();
  }
}

export const handleSummary = (data) => sweep.report(data);
