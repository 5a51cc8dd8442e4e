// The roll-up sweep's operation, ten minutes after the end of the data.
import sweep from 'k6/x/sweep';
import { lastMinutes, lookup, machbase, newClient, rollup } from '../../../../../scenarios/lib/stock.js';

const env = sweep.settings({ ...machbase, CODE: 'WISH' });
const db = newClient(env);

export const options = {
  scenarios: { shrink: { executor: 'client-sweep', clients: [2], iterations: 2 } },
  thresholds: { sweep_failed: ['count==0'] },
};

export default function () {
  sweep.run(lookup(db, env, { ...rollup(env), params: lastMinutes(env.CODE, 60, -10) }));
}

export const handleSummary = (data) => sweep.report(data);
