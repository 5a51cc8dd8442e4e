// A sweep of sleeps in a script without a report. THRESHOLD is k6's; MS is the duration of an
// operation with the second number of clients; OP names operations of sweep.op.
import { sleep } from 'k6';
import exec from 'k6/execution';
import sweep from 'k6/x/sweep';

export const options = {
  ...sweep.options({ scenario: 'steps', clients: [1, 2], iterations: 20, ...JSON.parse(__ENV.SWEEP || '{}') }),
};
if (__ENV.THRESHOLD) options.thresholds['iteration_duration{scenario:steps}'] = [__ENV.THRESHOLD];

export default function () {
  const nap = () => sleep((exec.vu.tags.clients === '2' ? Number(__ENV.MS || 1) : 1) / 1000);
  sweep.run(__ENV.OP ? () => sweep.op(__ENV.OP, nap) : nap);
}
