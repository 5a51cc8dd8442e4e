// Creates a roll-up, appends rows, and makes the server aggregate them.
//
//   MACHBASE_URL=machbase://sys:manager@127.0.0.1:5656 bin/k6 run extensions/machbase/examples/rollup.js
import machbase from 'k6/x/machbase';

export const options = { vus: 1, iterations: 3 };

const source = 'example_rollup_source';
const target = 'example_rollup_target';
const name = 'example_rollup';
const client = new machbase.Client({ url: __ENV.MACHBASE_URL });

export function setup() {
  client.exec(`create tag table ${source} (name varchar(20) primary key, time datetime basetime, value double)`);
  client.exec(`create tag table ${target} (name varchar(20) primary key, time datetime basetime, total double, n integer)`);
  client.exec(`create rollup ${name} into (${target}) as (select name, date_trunc('minute', time) as time, sum(value) as total,
    count(*) as n from ${source} group by name, time) interval 1 hour`);
}

export default function () {
  const appender = client.appender(source);
  appender.generate('sequence', { from: new Date(Date.UTC(2026, 0, 1 + __ITER)), rows: 6000, tags: 10 });
  appender.close();
  const [{ ENABLED: enabled, NEXT_WAKEUP_TIME: next }] = client.query('select * from v$rollup where rollup_name = ?', [name.toUpperCase()]);
  console.log(`rows are summed up at ${next.toISOString()}${enabled ? '' : ', but it is stopped'}`);

  client.exec(`exec rollup_force(${name})`); // aggregates now, not at the next interval
  client.exec(`exec table_flush(${target})`);
  const [{ n }] = client.query(`select sum(n) as n from ${target}`);
  if (n !== 6000 * (__ITER + 1)) {
    throw new Error(`${n} rows are summed up`);
  }
}

export function teardown() {
  client.exec(`drop rollup ${name}`);
  client.exec(`drop table ${target}`);
  client.exec(`drop table ${source}`);
}
