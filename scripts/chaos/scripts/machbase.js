// Machbase: appended and acknowledged rows, and queries with three pipelined requests.
import sweep from 'k6/x/sweep';
import machbase from 'k6/x/machbase';
import { address, cell, check, nameOf, optionsOf, timeout, valueOf, work } from './lib.js';

const client = new machbase.Client(`machbase://sys:manager@${address}`, { timeout, connectTimeout: timeout });

export const options = optionsOf('write', 'read', 'sum');

export default function () {
  let appender = null;
  let accepted = 0;

  const write = (i) => sweep.op('write', () => {
    if (appender === null) {
      appender = client.appender('chaos_rows', { columns: ['cell', 'at', 'k', 'v'] });
      accepted = 0;
    }
    try {
      appender.append([cell, new Date(), nameOf(i), valueOf(nameOf(i))]);
      const receipt = appender.sync();
      if (receipt.accepted !== accepted + 1) throw new Error(`the server took ${receipt.accepted - accepted} of 1 row`);
      accepted = receipt.accepted;
    } catch (e) {
      appender = null; // it ended with its connection
      throw e;
    }
  });
  const read = (i) => sweep.op('read', () => {
    const key = `key-${i % 50}`;
    const rows = client.query('select v from chaos_lookup where k = ?', [key]);
    check(key, rows.length === 1 ? rows[0].v : null);
  });
  const sum = () => sweep.op('sum', () => {
    const [{ n }] = client.query('select count(*) as n from chaos_lookup');
    if (n !== 50) throw new Error(`the table has ${n} rows, not 50`);
  });
  work(write, read, sum, read);
}

export { handleSummary, setup, teardown } from './lib.js';
