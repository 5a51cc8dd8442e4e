// sweep.op under k6's own ramping-vus.
import { sleep } from 'k6';
import sweep from 'k6/x/sweep';

export const options = {
  scenarios: {
    ramp: {
      executor: 'ramping-vus',
      startVUs: 1,
      stages: [{ duration: '2s', target: 8 }, { duration: '2s', target: 1 }],
    },
  },
  thresholds: { sweep_failed: ['count==0'] },
};

export default function () {
  sweep.op('nap', () => sleep(0.01));
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
