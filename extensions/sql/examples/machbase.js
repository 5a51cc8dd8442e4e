// Sweeps Machbase through SQL: how fast do 1, 4 and 16 clients find a row by its key? Each client
// has one connection. sweep.run times each operation; one that throws counts as failed.
// To append rows, or to read many, use k6/x/machbase, which is faster.
//     k6 run -e MACHBASE_URL=machbase://sys:password@127.0.0.1:5656?statementCache=auto machbase.js
import sql from 'k6/x/sql';
import machbase from 'k6/x/sql/driver/machbase';
import sweep from 'k6/x/sweep';

const people = 1000;

export const options = {
  scenarios: {
    machbase: { executor: 'client-sweep', clients: [1, 4, 16], iterations: 200, warmup: '500ms', op: 'select' },
  },
  thresholds: {
    sweep_failed: ['count==0'],
    sweep_incomplete: ['count==0'],
    'sweep_p99{clients:16}': ['value<1000'], // ms
  },
};

function withDatabase(use) {
  const db = sql.open(machbase, __ENV.MACHBASE_URL, { max_open_conns: 1 });
  try {
    use(db);
  } finally {
    db.close();
  }
}

export function setup() {
  withDatabase((db) => {
    db.exec('create volatile table xk6_sweep_example (id integer primary key, name varchar(20))');
    for (let id = 1; id <= people; id++) {
      db.exec('insert into xk6_sweep_example values (?, ?)', id, `name ${id}`);
    }
  });
}

export default function () {
  withDatabase((db) => {
    let id = 0;
    const select = () => {
      id = (id % people) + 1;
      const rows = db.query('select name from xk6_sweep_example where id = ?', id);
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
