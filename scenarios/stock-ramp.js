// The classic ramp, for those who want it: the roll-up query of stock-rollup.js under k6's own
// ramping-vus, from 1 VU to the most and back. Each second is a row of the report: operations a
// second and percentiles against the VUs of that second. Connecting is an operation of its own;
// there is no warm-up and no start line. Settings: see README.md.
import sweep from 'k6/x/sweep';
import { published } from './lib/published.js';
import { least, params, query } from './lib/rollup.js';
import { gates } from './lib/options.js';
import { duration, refuseSlips, wholeNumber } from './lib/settings.js';
import { code, newClient, prepare, queryOperation } from './lib/stock.js';
import { sweepReport } from './lib/sweeping.js';

refuseSlips('stock-ramp');
const most = wholeNumber('VUS', 512, 1, 100000);
const ramp = duration('RAMP', '1m');
const hold = duration('HOLD', '10s', { least: 0 });

const db = newClient();
gates();

export const options = {
  scenarios: {
    'stock-ramp': {
      executor: 'ramping-vus',
      startVUs: 1,
      stages: [{ duration: ramp, target: most }, { duration: hold, target: most }, { duration: ramp, target: 1 }],
      gracefulRampDown: '5s',
    },
  },
  thresholds: { sweep_failed: ['count==0'] },
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

export const handleSummary = sweepReport;
