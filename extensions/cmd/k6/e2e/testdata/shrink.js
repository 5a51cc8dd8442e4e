// The roll-up sweep's operation, ten minutes after the end of the data.
import { code, limit, minute, newClient, oneLine, sweepQuery } from '../../../../../scenarios/lib/stock.js';
import { sweepReport } from '../../../../../scenarios/lib/sweeping.js';

const query = oneLine(`
  select code, time, sum(cnt) as ticks from stock_rollup_1m
   where code = ? and time between ? and ? group by code, time order by time limit ?`);
const db = newClient();

export const options = {
  scenarios: { shrink: { executor: 'client-sweep', clients: [2], iterations: 2 } },
  thresholds: { sweep_failed: ['count==0'] },
};

export default function () {
  const to = Date.now() + 10 * minute;
  sweepQuery(db, query, [code, new Date(to - 60 * minute), new Date(to), limit], 60, { code });
}

export const handleSummary = sweepReport;
