// The roll-up query of stock-rollup.js with k6's ramping-vus: from 1 VU to the maximum and back, in
// eight stages each way. With the output sweep each stage is a row of the report, with ops/s and
// percentiles for its VUs.
//     k6 run -o 'sweep=results?by=stage' scenarios/stock-ramp.js
// Connecting is an operation, too; there is no warm-up and no common start. Settings: see
// README.md.
import sweep from 'k6/x/sweep';
import { published } from './lib/published.js';
import { least, params, query } from './lib/rollup.js';
import { duration, refuseSlips, wholeNumber } from './lib/settings.js';
import { code, newClient, prepare, queryOperation } from './lib/stock.js';

refuseSlips('stock-ramp');
const most = wholeNumber('VUS', 512, 1, 100000);
const ramp = duration('RAMP', '8s');
const hold = duration('HOLD', '10s', { least: 0 });
const eighths = (n) => ({ duration: ramp, target: Math.max(Math.round((most * n) / 8), 1) });

const db = newClient();

export const options = {
  scenarios: {
    'stock-ramp': {
      executor: 'ramping-vus',
      startVUs: 1,
      stages: [...[1, 2, 3, 4, 5, 6, 7, 8].map(eighths), { duration: hold, target: most }, ...[7, 6, 5, 4, 3, 2, 1, 0].map(eighths)],
      gracefulRampDown: '5s',
    },
  },
  thresholds: { sweep_op_failed: ['rate==0'] },
  setupTimeout: '2m',
};

export function setup() {
  prepare(db, query, params(), least, published['stock-rollup']);
}

let operation; // of this VU

export default function () {
  if (!operation) {
    sweep.op('connect', () => db.connect());
    operation = queryOperation(db, query, params(), least, { code });
  }
  sweep.op('rollup', operation);
}
