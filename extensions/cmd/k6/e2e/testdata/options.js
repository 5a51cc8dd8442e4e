// sweep.options with whatever a test wants to ask for.
import { sleep } from 'k6';
import sweep from 'k6/x/sweep';

export const options = sweep.options({ scenario: 'work', ...JSON.parse(__ENV.OPTIONS) });

const ms = Number(__ENV.MS || 1);
const failEvery = Number(__ENV.FAIL_EVERY || 0);

export default function () {
  let n = 0;
  sweep.run(() => {
    sleep(ms / 1000);
    n += 1;
    if (failEvery && n % failEvery === 0) throw new Error('on purpose');
  });
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
