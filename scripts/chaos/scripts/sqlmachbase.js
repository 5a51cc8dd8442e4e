// Machbase through k6/x/sql: inserts and queries.
import sql from 'k6/x/sql';
import driver from 'k6/x/sql/driver/machbase';
import sweep from 'k6/x/sweep';
import { address, cell, check, nameOf, optionsOf, timeout, valueOf, work } from './lib.js';

export const options = optionsOf('write', 'read');

export default function () {
  const db = sql.open(driver, `machbase://sys:manager@${address}?timeout=${timeout}&connectTimeout=${timeout}`, { max_open_conns: 1 });
  const write = (i) => sweep.op('write', () => {
    db.exec('insert into chaos_rows (cell, at, k, v) values (?, now, ?, ?)', cell, nameOf(i), valueOf(nameOf(i)));
  });
  const read = (i) => sweep.op('read', () => {
    const key = `key-${i % 50}`;
    const rows = db.query('select v from chaos_lookup where k = ?', key);
    check(key, rows.length === 1 ? rows[0].v : null);
  });
  try {
    work(write, read);
  } finally {
    db.close();
  }
}

export { handleSummary, setup, teardown } from './lib.js';
