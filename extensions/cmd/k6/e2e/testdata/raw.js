// Every single operation of a sweep as a k6 sample.
import sweep from 'k6/x/sweep';

export const options = sweep.options({ scenario: 'raw', clients: [32], iterations: 1000, warmup: '0s', raw: true });

export default function () {
  sweep.run(() => {});
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
