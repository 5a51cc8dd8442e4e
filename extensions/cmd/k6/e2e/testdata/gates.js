// A sweep with a gate file, in scripts that drop k6's thresholds in different ways.
import { sleep } from 'k6';
import sweep from 'k6/x/sweep';

const works = {
  quick: () => {},
  slow: () => sleep(0.1), // a stall of a busy machine is a small part of it
  fails: () => { throw new Error('on purpose'); },
};

const gates = __ENV.FILE;
if (__ENV.CALL) sweep.gates(gates); // the result is not used
if (__ENV.OTHER) sweep.gates(__ENV.OTHER);

export const options = {
  ...sweep.options({ scenario: 'gated', clients: [2], iterations: 20, onError: 'continue', ...(__ENV.CALL ? {} : { gates }) }),
  ...(__ENV.THRESHOLDS ? { thresholds: JSON.parse(__ENV.THRESHOLDS) } : {}),
};

export default function () {
  sweep.run(works[__ENV.WORK]);
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
