// A sweep of operations that do nothing.
import sweep from 'k6/x/sweep';

export const options = sweep.options({ scenario: 'nothing', clients: [32], iterations: 1000, warmup: '0s' });

export default function () {
  sweep.run(() => {});
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
