// Sweeps SQLite: how fast do 1, 4 and 16 clients find a row by its key? Each client has one
// in-memory database. sweep.run times each operation; one that throws counts as failed.
//     k6 run sqlite.js
import sql from 'k6/x/sql';
import sqlite3 from 'k6/x/sql/driver/sqlite3';
import sweep from 'k6/x/sweep';

const people = 1000;

export const options = {
  scenarios: {
    sqlite: { executor: 'client-sweep', clients: [1, 4, 16], iterations: 200, warmup: '500ms', op: 'select' },
  },
  thresholds: {
    sweep_failed: ['count==0'],
    sweep_incomplete: ['count==0'],
    'sweep_p99{clients:16}': ['value<1000'], // ms
  },
};

export default function () {
  const db = sql.open(sqlite3, ':memory:', { max_open_conns: 1 }); // a second connection would have an empty database
  try {
    db.exec('create table roster (id integer primary key, name text not null)');
    const filled = db.exec(
      `insert into roster (name)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < ?) select 'name ' || i from n`,
      people,
    );
    if (filled.rowsAffected() !== people) throw new Error(`${filled.rowsAffected()} rows were inserted`);

    let id = 0;
    sweep.run(() => {
      id = (id % people) + 1;
      const rows = db.query('select name from roster where id = ?', id);
      if (rows.length !== 1 || rows[0].name !== `name ${id}`) throw new Error(`the row ${id} is ${JSON.stringify(rows)}`);
    });
  } finally {
    db.close();
  }
}

export const handleSummary = (data) => sweep.report(data);
