// Operations that do not block: three clients at the same time, and an appender during a query.
//
//   MACHBASE_URL=machbase://sys:manager@127.0.0.1:5656 bin/k6 run extensions/machbase/examples/async.js
import machbase from 'k6/x/machbase';

export const options = { vus: 2, iterations: 10 };

// One connection each: a client runs its operations one after another.
const clients = [1, 2, 3].map(() => new machbase.Client({ url: __ENV.MACHBASE_URL, timeout: '10s' }));
const table = 'example_async';

export function setup() {
  clients[0].exec(`create tag table ${table} (name varchar(20) primary key, time datetime basetime, value double)`);
}

export default async function () {
  const answers = await Promise.all(clients.map((client) => client.asyncQuery('select name from m$sys_users where name = ?', ['SYS'])));
  if (answers.some(([{ name }]) => name !== 'SYS')) {
    throw new Error(`the users are ${JSON.stringify(answers)}`);
  }

  const [reader, writer] = clients;
  const appender = await writer.asyncAppender(table);
  const appending = appender.asyncGenerate('sine', { from: new Date(), rows: 5000, tags: 5, prefix: `vu-${__VU}-` });
  const asking = reader.asyncQuery(`select count(*) as n from ${table}`);
  const [appended, [{ n }]] = await Promise.all([appending, asking]);
  const { accepted } = await appender.asyncClose();
  if (accepted !== appended) {
    throw new Error(`the server took ${accepted} of ${appended} rows`);
  }
  if (__ITER === 0) {
    console.log(`${n} rows were there while ${appended} more were appended`);
  }

  try {
    await reader.asyncQuery('select * from no_such_table');
  } catch (e) {
    if (e.kind !== 'not_found') {
      throw e;
    }
  }
}

export function teardown() {
  clients[0].exec(`drop table ${table}`);
}
