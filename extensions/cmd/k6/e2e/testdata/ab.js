// An operation sleeps for -e MS milliseconds. THRESHOLDS are k6's own.
import { sleep } from 'k6';
import sweep from 'k6/x/sweep';

const thresholds = __ENV.THRESHOLDS && { thresholds: JSON.parse(__ENV.THRESHOLDS) };

export const options = sweep.options({ scenario: 'ab', clients: [2], duration: '1500ms', op: 'nap', quiet: '0s', ...thresholds });

const seconds = Number(__ENV.MS) / 1000;

export default function () {
  sweep.run(() => sleep(seconds));
}
