// Prints results and errors of k6/x/sql, one per line.
import sql from 'k6/x/sql';
import machbase from 'k6/x/sql/driver/machbase';
import postgres from 'k6/x/sql/driver/postgres';
import sqlite3 from 'k6/x/sql/driver/sqlite3';

const drivers = { machbase, postgres, sqlite3 };

export default function () {
  const db = sql.open(drivers[__ENV.DRIVER], __ENV.NAME);
  for (const statement of __ENV.STATEMENTS.split(';')) {
    try {
      console.log(`said: ${JSON.stringify(db.query(statement))}`);
    } catch (e) {
      console.log(`said: ${e}`);
    }
  }
  db.close();
}
