// Operations with one of k6's executors; the first never completes, because the script throws or
// hangs (SLIP). Its threshold has no samples.
import { sleep } from 'k6';
import sweep from 'k6/x/sweep';

export const options = {
  scenarios: {
    default: __ENV.SLIP === 'hangs'
      ? { executor: 'constant-vus', vus: 1, duration: '2s', gracefulStop: '0s' }
      : { executor: 'shared-iterations', vus: 1, iterations: 20 },
  },
  thresholds: { [__ENV.METRIC]: [__ENV.HOLDS] },
};

export default function () {
  if (__ENV.SLIP === 'hangs') sleep(60);
  if (__ENV.SLIP === 'throws') throw new Error('on purpose');
  sweep.op('nap', () => sleep(0.01));
}
