// What the sweeps have in common: their options, and where their report goes.
import sweep from 'k6/x/sweep';
import { duration, text, wholeNumber, wholeNumbers } from './settings.js';

/** The folder of the report's files. */
export const results = text('RESULTS', 'results');

/**
 * k6 options of a sweep with one scenario. CLIENTS, OPS or DURATION, WARMUP, REPEATS, PAUSE and MAX_DURATION override
 * the published defaults. A run with a failed operation or an incomplete step crosses a threshold: exit code 99.
 *
 * @param {string} scenario name of the scenario, and of the report's files
 * @param {string} op       name of its operation
 */
export function sweepOptions(scenario, op) {
  const share = __ENV.DURATION
    ? { duration: duration('DURATION') }
    : { iterations: wholeNumber('OPS', 10000) };
  if (__ENV.DURATION && __ENV.OPS) throw new Error('OPS and DURATION exclude each other: set one of them');
  return {
    scenarios: {
      [scenario]: {
        executor: 'client-sweep',
        clients: wholeNumbers('CLIENTS', [1, 8, 16, 32, 64, 128, 512], 100000),
        ...share,
        warmup: duration('WARMUP', '2s', { zero: true }),
        repeats: wholeNumber('REPEATS', 1),
        pause: duration('PAUSE', '1s', { zero: true }),
        maxDuration: duration('MAX_DURATION', '1h'),
        gracefulStop: '5s',
        op,
      },
    },
    thresholds: { sweep_failed: ['count==0'], sweep_incomplete: ['count==0'] },
    setupTimeout: '2m',
  };
}

/** For handleSummary: the table on standard output, and the report's files in RESULTS (results). */
export function sweepReport(data) {
  return sweep.report(data, { dir: results });
}
