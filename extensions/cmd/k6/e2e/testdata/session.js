// A portable sweep whose sessions fail around sweep.run.
import exec from 'k6/execution';
import { sleep } from 'k6';
import sweep from 'k6/x/sweep';

export const options = sweep.options({
  scenario: 'work', clients: [2, 3], iterations: 20, maxDuration: __ENV.MAX_DURATION || '1s', gracefulStop: '1s', portable: true,
});

const fails = {
  nobody: () => false,
  everybody: () => true,
  first: () => exec.scenario.name === 'work-2',
  one: () => exec.scenario.name === 'work-3' && exec.vu.idInTest === 1,
}[__ENV.FAILS];

export default function () {
  if (fails()) throw new Error('cannot connect');
  sweep.run(() => sleep(0.005));
  if (__ENV.TWICE) sweep.run(() => {});
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
