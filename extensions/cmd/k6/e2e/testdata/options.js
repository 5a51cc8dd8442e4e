// sweep.options with the options of a test.
import { sleep } from 'k6';
import exec from 'k6/execution';
import sweep from 'k6/x/sweep';

export const options = sweep.options({ scenario: 'work', ...JSON.parse(__ENV.OPTIONS) });

const ms = Number(__ENV.MS || 1);
const failEvery = Number(__ENV.FAIL_EVERY || 0);

export default function () {
  if (__ENV.ASTRAY) return;
  let n = 0;
  const began = Date.now();
  sweep.run(() => {
    if (ms) sleep(ms / 1000);
    // One client's last operation takes two seconds more.
    if (__ENV.SLOW_LAST && exec.vu.idInTest === 1 && Date.now() - began > 900) sleep(2);
    n += 1;
    const fails = !__ENV.FAIL_CLIENTS || exec.vu.tags.clients === __ENV.FAIL_CLIENTS;
    if (fails && failEvery && n % failEvery === 0) {
      if (__ENV.FAIL_MS) sleep(Number(__ENV.FAIL_MS) / 1000);
      throw new Error('on purpose');
    }
  });
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
