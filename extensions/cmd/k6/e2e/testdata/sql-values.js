// Runs a function body with a database, and prints its result as JSON.
import sql from 'k6/x/sql';
import machbase from 'k6/x/sql/driver/machbase';
import postgres from 'k6/x/sql/driver/postgres';
import sqlite3 from 'k6/x/sql/driver/sqlite3';

const drivers = { machbase, postgres, sqlite3 };

// typed returns a value with its JavaScript type.
function typed(value) {
  if (value instanceof ArrayBuffer) {
    return `ArrayBuffer ${new Uint8Array(value).join(' ')}`;
  }
  if (value instanceof Date) {
    return `Date ${value.toISOString()}`;
  }

  return value === null ? 'null' : `${typeof value} ${value}`;
}

export default function () {
  const db = sql.open(drivers[__ENV.DRIVER], __ENV.NAME, { max_open_conns: 1 });
  const run = new Function('db', 'typed', __ENV.CODE);
  console.log(`said: ${JSON.stringify(run(db, typed))}`);
  db.close();
}
