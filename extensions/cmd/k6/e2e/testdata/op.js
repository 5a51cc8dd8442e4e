// Operations under one of k6's own executors, in a script that asks for no report. With SLIP it
// throws or hangs before the first one, and has a threshold that holds of nothing.
import { sleep } from 'k6';
import sweep from 'k6/x/sweep';

export const options = {
  scenarios: {
    default: __ENV.SLIP === 'hangs'
      ? { executor: 'constant-vus', vus: 1, duration: '2s', gracefulStop: '0s' }
      : { executor: 'shared-iterations', vus: 1, iterations: 20 },
  },
  thresholds: __ENV.SLIP ? { 'sweep_max{op:nap}': ['value<10000'] } : {},
};

export default function () {
  if (__ENV.SLIP === 'hangs') sleep(60);
  if (__ENV.SLIP) throw new Error('on purpose');
  sweep.op('nap', () => sleep(0.01));
}
