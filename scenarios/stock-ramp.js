// The roll-up query of stock-rollup.js with k6's ramping-vus: from 1 VU to the maximum and back, in
// eight stages each way. With the output sweep each stage is a row of the report, with ops/s and
// percentiles for its VUs.
//     k6 run -o 'sweep=results?by=stage' scenarios/stock-ramp.js
// Connecting is an operation, too; there is no warm-up and no common start. Settings: see
// README.md.
import sweep from 'k6/x/sweep';
import { describe, lookup, machbase, newClient, rollup, rollups } from './lib/stock.js';

const env = sweep.settings({ ...machbase, CODE: 'WISH', VUS: 512, RAMP: '8s', HOLD: { usual: '10s', from: 0 } }, { sweep: ['RESULTS'] });
const db = newClient(env);
const eighths = (n) => ({ duration: env.RAMP, target: Math.max(Math.round((env.VUS * n) / 8), 1) });

export const options = {
  scenarios: {
    'stock-ramp': {
      executor: 'ramping-vus',
      startVUs: 1,
      stages: [...[1, 2, 3, 4, 5, 6, 7, 8].map(eighths), { duration: env.HOLD, target: env.VUS }, ...[7, 6, 5, 4, 3, 2, 1, 0].map(eighths)],
      gracefulRampDown: '5s',
    },
  },
  thresholds: { sweep_op_failed: ['rate==0'] },
};

export function setup() {
  describe('stock-ramp', env, rollup, db, undefined, { published: rollups.map((one) => ({ ...one, op: 'rollup' })) });
}

let operation; // of this VU

export default function () {
  if (!operation) {
    sweep.op('connect', () => db.connect());
    operation = lookup(db, env, rollup(env));
  }
  sweep.op('rollup', operation);
}
