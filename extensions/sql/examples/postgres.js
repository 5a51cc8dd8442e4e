// Sweeps PostgreSQL: how fast do 1, 4 and 16 clients find a row by its key? Each client has one
// connection. sweep.run times each operation; one that throws counts as failed.
//     k6 run -e POSTGRES_URL=postgres://user:password@127.0.0.1:5432/database?sslmode=disable postgres.js
import sql from 'k6/x/sql';
import postgres from 'k6/x/sql/driver/postgres';
import sweep from 'k6/x/sweep';

const people = 1000;

export const options = {
  scenarios: {
    postgres: { executor: 'client-sweep', clients: [1, 4, 16], iterations: 200, warmup: '500ms', op: 'select' },
  },
  thresholds: {
    sweep_failed: ['count==0'],
    sweep_incomplete: ['count==0'],
    'sweep_p99{clients:16}': ['value<1000'], // ms
  },
};

function withDatabase(use) {
  const db = sql.open(postgres, __ENV.POSTGRES_URL, { max_open_conns: 1 });
  try {
    use(db);
  } finally {
    db.close();
  }
}

export function setup() {
  withDatabase((db) => {
    db.exec('create table xk6_sweep_example (id integer primary key, name text not null)');
    db.exec(`insert into xk6_sweep_example select i, 'name ' || i from generate_series(1, $1::integer) i`, people);
  });
}

export default function () {
  withDatabase((db) => {
    let id = 0;
    const select = () => {
      id = (id % people) + 1;
      const rows = db.query('select name from xk6_sweep_example where id = $1', id);
      if (rows.length !== 1 || rows[0].name !== `name ${id}`) throw new Error(`the row ${id} is ${JSON.stringify(rows)}`);
    };
    select(); // connects
    sweep.run(select);
  });
}

export function teardown() {
  withDatabase((db) => db.exec('drop table xk6_sweep_example'));
}

export const handleSummary = (data) => sweep.report(data);
