// Makes a table, appends rows to it from each VU, and reads them back.
//
//   MACHBASE_URL=machbase://sys:manager@127.0.0.1:5656 bin/k6 run extensions/machbase/examples/append.js
import machbase from 'k6/x/machbase';

export const options = { vus: 2, iterations: 10 };

const table = 'example_append';
const rows = 1000; // of an iteration
const client = new machbase.Client({ url: __ENV.MACHBASE_URL });

export function setup() {
  client.exec(`create tag table ${table} (name varchar(20) primary key, time datetime basetime, value double)`);
}

export default function () {
  const appender = client.appender(table, { columns: ['name', 'time', 'value'] });
  const begin = Date.now();
  for (let i = 0; i < rows; i++) {
    appender.append([`vu-${__VU}`, new Date(begin + i), Math.sin(i / 100)]);
  }
  const { accepted, rejected } = appender.close();
  if (accepted !== rows || rejected !== 0) {
    throw new Error(`the server took ${accepted} of ${rows} rows and rejected ${rejected}`);
  }
}

export function teardown() {
  client.exec(`exec table_flush(${table})`); // appended rows can be seen a moment later, or after this
  const [{ n }] = client.query(`select count(*) as n from ${table}`);
  console.log(`${n} rows`);
  client.exec(`drop table ${table}`);
}
