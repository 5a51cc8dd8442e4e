// Operations under one of k6's own executors, in a script that asks for no report. With SLIP it throws before the first one,
// and has a threshold that holds of nothing.
import { sleep } from 'k6';
import sweep from 'k6/x/sweep';

export const options = { vus: 1, iterations: 20, thresholds: __ENV.SLIP ? { 'sweep_max{op:nap}': ['value<10000'] } : {} };

export default function () {
  if (__ENV.SLIP) throw new Error('on purpose');
  sweep.op('nap', () => sleep(0.01));
}
