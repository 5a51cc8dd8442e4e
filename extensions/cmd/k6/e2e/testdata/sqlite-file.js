// Eight clients insert into one SQLite file.
import sql from 'k6/x/sql';
import sqlite3 from 'k6/x/sql/driver/sqlite3';
import sweep from 'k6/x/sweep';

export const options = sweep.options({ scenario: 'sqlite-file', clients: [8], iterations: 50 });

const open = () => sql.open(sqlite3, `${__ENV.FILE}?_pragma=synchronous(off)`, { max_open_conns: 1 });

export function setup() {
  const db = open();
  db.exec('create table t (a integer)');
  db.close();
}

export default function () {
  const db = open();
  sweep.run(() => db.exec('insert into t values (?)', 1));
  db.close();
}

export const handleSummary = (data) => sweep.report(data);
