// A sweep of an async function: the executor repeats it, and each operation ends when its promise
// is settled.
import { Client } from 'k6/x/machbase';
import sweep from 'k6/x/sweep';

const db = new Client(__ENV.MACHBASE_URL);

export const options = sweep.options({ scenario: 'async', clients: [1, 4], iterations: 50, warmup: '100ms' });

export default async function () {
  const answers = await Promise.all([1, 2].map(() => db.asyncQuery('select name from m$sys_users where name = ?', ['SYS'], { rows: 'discard' })));
  if (answers.join() !== '1,1') throw new Error(`the answers have ${answers} rows`);
  db.asyncExec('exec table_flush(no_such_table)').catch(() => {}); // not awaited: the iteration waits for it
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
