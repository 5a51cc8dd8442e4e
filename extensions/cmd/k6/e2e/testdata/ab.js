// An operation sleeps for MS milliseconds. COLLAPSES limits that to a step with this many clients.
// THRESHOLDS are k6's.
import { sleep } from 'k6';
import exec from 'k6/execution';
import sweep from 'k6/x/sweep';

const { MS, COLLAPSES, THRESHOLDS } = __ENV;

export const options = sweep.options({
  scenario: 'ab', clients: COLLAPSES ? [1, Number(COLLAPSES)] : [2], duration: '1500ms', op: 'nap', quiet: '0s',
  ...(THRESHOLDS && { thresholds: JSON.parse(THRESHOLDS) }),
});

export default function () {
  sweep.run(() => sleep((!COLLAPSES || exec.vu.tags.clients === COLLAPSES ? Number(MS) : 1) / 1000));
}
