// An appender that is not closed at the end of the test.
import machbase from 'k6/x/machbase';

export const options = { iterations: 1 };

const table = __ENV.TABLE;
const client = new machbase.Client(__ENV.MACHBASE_URL);
const steps = {
  make: () => client.exec(`create tag table ${table} (name varchar(20) primary key, time datetime basetime, value double not null)`),
  append: () => client.appender(table).append(['a', new Date(1000), 1], ['a', new Date(2000), 2]),
  reject: () => client.appender(table).append(['a', new Date(3000), null]),
  count: () => {
    client.exec(`exec table_flush(${table})`);
    console.log(`${client.query(`select count(*) as n from ${table}`)[0].n} rows`);
    client.exec(`drop table ${table}`);
  },
};

export default function () {
  steps[__ENV.STEP]();
}
