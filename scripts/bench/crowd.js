// Many clients and very many operations, few of them queries: what k6 itself needs for them. See
// scripts/bench.sh.
import { code, lastMinutes, newClient, oneLine, prepare } from '../../scenarios/lib/stock.js';
import { sweepOptions, sweepReport } from '../../scenarios/lib/sweeping.js';
import sweep from 'k6/x/sweep';

const query = oneLine(`
  select code, time, sum(sum_price) / sum(cnt) as avg_price from stock_rollup_1m
   where code = ? and time between ? and ? group by code, time order by time limit ?`);

const db = newClient();

export const options = sweepOptions('crowd', 'mixed');

export function setup() {
  prepare(db, query, lastMinutes(60, 2), 60);
}

export default function () {
  db.connect();
  const given = lastMinutes(60, 2);
  const discard = { rows: 'discard', expect: { code } };
  let calls = 0;
  sweep.run(() => {
    calls += 1;
    if (calls % 100 === 0 && db.query(query, given, discard) === 0) throw new Error('the answer is empty');
  });
}

export const handleSummary = sweepReport;
