// Reads from a Machbase: rows as objects, and rows that are checked and counted in Go.
//
//   MACHBASE_URL=machbase://sys:manager@127.0.0.1:5656 bin/k6 run extensions/machbase/examples/query.js
import machbase from 'k6/x/machbase';

export const options = {
  vus: 2,
  iterations: 20,
  thresholds: {
    'machbase_ops{outcome:ok}': ['count>0'],
    'machbase_op_duration{op:query}': ['p(99)<1000'],
  },
};

// One connection per VU, opened by its first operation and closed when the test ends.
const client = new machbase.Client({ url: __ENV.MACHBASE_URL, statementCache: 'auto', timeout: '10s' });

export default function () {
  const users = client.query('select name, user_id from m$sys_users where name = ? limit ?', ['SYS', 3]);
  if (__ITER === 0) {
    console.log(`${users.columns.map((c) => `${c.name} (${c.type})`).join(', ')}: ${JSON.stringify(users)}`);
  }

  // These rows never reach JavaScript. Use this form to measure.
  const rows = client.query('select name, user_id from m$sys_users where name = ?', ['SYS'], {
    rows: 'discard',
    expect: { name: 'SYS' },
  });
  if (rows !== 1) {
    throw new Error(`there are ${rows} users SYS`);
  }

  try {
    client.query('select * from no_such_table');
  } catch (e) {
    if (e.kind !== 'not_found') {
      throw e;
    }
    if (__ITER === 0) {
      console.log(`${e.name} ${e.code}: ${e.message}`);
    }
  }
}
