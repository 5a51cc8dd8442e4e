// A sweep that needs no server. OPTIONS are more of k6's options; SWEEP are more of the sweep's.
import sweep from 'k6/x/sweep';

export const options = {
  ...sweep.options({ scenario: 'own', clients: [1, 2], iterations: 50, ...JSON.parse(__ENV.SWEEP || '{}') }),
  ...JSON.parse(__ENV.OPTIONS || '{}'),
};

export default function () {
  sweep.run(() => {});
}

export const handleSummary = (data) => sweep.report(data);
