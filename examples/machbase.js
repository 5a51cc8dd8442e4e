// Reads the latest 100 values of a tag from Machbase, with 1, 4 and 16 clients. It creates a table
// and drops it. Each step lasts DURATION, 5 s by default.
//     k6 run machbase.js -e MACHBASE_URL=machbase://sys:manager@127.0.0.1:5656 -e DURATION=10s
import machbase from 'k6/x/machbase';
import sweep from 'k6/x/sweep';

const url = __ENV.MACHBASE_URL || 'machbase://sys:manager@127.0.0.1:5656';
const table = 'xk6_sweep_example';
const rows = 10000;

const db = new machbase.Client({ url, timeout: '5s' });

export const options = sweep.options({ scenario: 'machbase', op: 'select', clients: [1, 4, 16], duration: '5s', warmup: '1s' });

export function setup() {
  sweep.meta({ target: { kind: 'machbase', url } }); // without the password
  db.exec(`create tag table ${table} (name varchar(20) primary key, time datetime basetime, value double)`);
  const appender = db.appender(table);
  appender.generate('sine', { from: new Date(Date.now() - rows * 1000), rows, tags: 10, prefix: 'tag-', interval: '1s', period: '60s' });
  appender.close();
}

export default function () {
  db.connect(); // all clients of a step connect; then they start together
  sweep.run(() => { // one call is one operation; an answer without rows fails
    db.query(`select time, value from ${table} where name = ? limit ?`, ['tag-1', 100], { rows: 'discard', expect: {}, minRows: 1 });
  });
}

export function teardown() {
  db.exec(`drop table ${table}`);
}

export const handleSummary = (data) => sweep.report(data); // the table here, files in results/
