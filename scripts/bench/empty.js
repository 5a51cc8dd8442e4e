// An operation that does nothing: what sweep.run itself costs. It needs no server.
import sweep from 'k6/x/sweep';
import { report, step } from './step.js';

export const options = step('empty');

export default function () {
  sweep.run(() => {});
}

export const handleSummary = report;
