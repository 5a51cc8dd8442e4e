// The published stock tick sweep: the last minute of a stock's ticks, about 87 rows per operation.
// Source: machbase/neo-tester at b95bed6, stockgo without -rollup. Settings: see README.md.
import sweep from 'k6/x/sweep';
import { describe, duet, lookup, machbase, newClient, tick } from './lib/stock.js';

const env = sweep.settings({ ...machbase, CODE: 'WISH', IN_GO: false }, { base: [...duet, 'IN_GO'] });
const db = newClient(env);
const base = env.base && newClient(env.base);

export const options = sweep.options({
  scenario: 'stock-tick', op: 'tick', clients: [1, 8, 16, 32, 64, 128, 512], iterations: 10000, warmup: '2s', pause: '1s', maxDuration: '1h',
});

export function setup() {
  describe('stock-tick', env, tick, db, base);
}

export default function () {
  sweep.run({ change: lookup(db, env, tick(env)), base: base && lookup(base, env.base, tick(env)) });
}

export const handleSummary = (data) => sweep.report(data);
