// The roll-up sweep's operation, ten minutes after the end of the data.
import { code, lastMinutes, newClient, oneLine, sweepQuery } from '../../../../../scenarios/lib/stock.js';
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
  sweepQuery(db, query, lastMinutes(60, -10), 60, { code });
}

export const handleSummary = sweepReport;
