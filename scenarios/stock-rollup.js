// The published stock roll-up sweep: one hour of a stock by minutes, 60 rows per operation. Source:
// machbase/neo-tester at b95bed6, stockgo -rollup. Settings: see README.md.
import sweep from 'k6/x/sweep';
import { describe, duet, lookup, machbase, newClient, rollup, rollups } from './lib/stock.js';

const env = sweep.settings({ ...machbase, CODE: 'WISH', IN_GO: false }, { base: [...duet, 'IN_GO'] });
const db = newClient(env);
const base = env.base && newClient(env.base);

export const options = sweep.options({
  scenario: 'stock-rollup', op: 'rollup', clients: [1, 8, 16, 32, 64, 128, 512], iterations: 10000, warmup: '2s', pause: '1s', maxDuration: '1h',
});

export function setup() {
  describe('stock-rollup', env, rollup, db, base, { published: rollups.map((one) => ({ ...one, op: 'rollup' })) });
}

export default function () {
  sweep.run({ change: lookup(db, env, rollup(env)), base: base && lookup(base, env.base, rollup(env)) });
}

export const handleSummary = (data) => sweep.report(data);
