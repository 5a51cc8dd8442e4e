// Operations under one of k6's own executors, in a script that asks for no report.
import { sleep } from 'k6';
import sweep from 'k6/x/sweep';

export const options = { vus: 1, iterations: 20 };

export default function () {
  sweep.op('nap', () => sleep(0.01));
}
