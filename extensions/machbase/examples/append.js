// Creates a table, appends rows to it from each VU in three forms, and reads them back.
//
//   MACHBASE_URL=machbase://sys:manager@127.0.0.1:5656 bin/k6 run extensions/machbase/examples/append.js
import machbase from 'k6/x/machbase';

export const options = {
  vus: 2,
  iterations: 10,
  thresholds: {
    machbase_rows_rejected: ['count==0'],
    machbase_rows_acknowledged: ['count==30000'],
  },
};

const table = 'example_append';
const rows = 1000; // of each form
const client = new machbase.Client({ url: __ENV.MACHBASE_URL });

export function setup() {
  client.exec(`create tag table ${table} (name varchar(20) primary key, time datetime basetime, value double)`);
}

export default function () {
  const appender = client.appender(table, { columns: ['name', 'time', 'value'], batchRows: 500 });
  const begin = Date.now();

  // Row by row.
  for (let i = 0; i < rows; i++) {
    appender.append([`row-${__VU}`, new Date(begin + i), Math.sin(i / 100)]);
  }

  // Columns: typed arrays need almost no JavaScript.
  const names = Array(rows).fill(`column-${__VU}`);
  const times = new BigInt64Array(rows).map((_, i) => BigInt(begin + i) * 1000000n);
  const values = new Float64Array(rows).map((_, i) => Math.cos(i / 100));
  appender.appendColumns([names, times, values]);

  // The server's report about these rows.
  const { accepted, rejected, reasons } = appender.sync();
  if (accepted !== 2 * rows) {
    throw new Error(`the server took ${accepted} of ${2 * rows} rows and rejected ${rejected}: ${JSON.stringify(reasons)}`);
  }

  // Rows that are generated in Go.
  appender.generate('sine', { from: new Date(begin), rows, tags: 10, prefix: `sine-${__VU}-`, interval: '100ms', period: '10s' });
  appender.close();
}

export function teardown() {
  client.exec(`exec table_flush(${table})`); // queries see appended rows after this, or a little later
  const [{ n }] = client.query(`select count(*) as n from ${table}`);
  console.log(`${n} rows`);
  client.exec(`drop table ${table}`);
}
