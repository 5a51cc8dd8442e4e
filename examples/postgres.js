// Selects rows from PostgreSQL by their key, with 1, 4 and 16 clients, each with one connection.
// It creates a table and drops it. Each step lasts DURATION, 5 s by default.
//     k6 run postgres.js -e POSTGRES_URL=postgres://postgres@127.0.0.1:5432/postgres -e DURATION=10s
import sql from 'k6/x/sql';
import postgres from 'k6/x/sql/driver/postgres';
import sweep from 'k6/x/sweep';

const url = __ENV.POSTGRES_URL || 'postgres://postgres@127.0.0.1:5432/postgres?sslmode=disable';
const rows = 1000;

export const options = sweep.options({ scenario: 'postgres-rows', op: 'select', clients: [1, 4, 16], duration: '5s', warmup: '1s' });

const open = () => sql.open(postgres, url, { max_open_conns: 1 });

export function setup() {
  sweep.meta({ target: { kind: 'postgres', url } }); // without the password
  const db = open();
  db.exec('create table if not exists xk6_sweep_example (id integer primary key, name text not null)');
  db.exec(`insert into xk6_sweep_example select i, 'name ' || i from generate_series(1, $1::integer) i on conflict do nothing`, rows);
  db.close();
}

export default function () {
  const db = open();
  let id = 0;
  const select = () => {
    id = (id % rows) + 1;
    const found = db.query('select name from xk6_sweep_example where id = $1', id);
    if (found.length !== 1) throw new Error(`there is no row ${id}`); // a failed operation
  };
  select(); // connects; then all clients of the step start together
  sweep.run(select); // one call is one operation
  db.close();
}

export function teardown() {
  const db = open();
  db.exec('drop table xk6_sweep_example');
  db.close();
}

export const handleSummary = (data) => sweep.report(data); // the table here, files in results/
