// sweep.op in two scenarios of k6's own executors, one after the other, which share VUs.
import { sleep } from 'k6';
import sweep from 'k6/x/sweep';

const scenario = (startTime, exec) => ({ executor: 'constant-vus', vus: 3, duration: '2s', startTime, exec });

export const options = {
  scenarios: { first: scenario('0s', 'first'), second: scenario('3s', 'second') },
};

export function first() {
  sweep.op('one', () => sleep(0.02));
}

export function second() {
  sweep.op('two', () => {
    sleep(0.02);
    if (__ENV.FAIL) throw new Error('on purpose');
  });
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
