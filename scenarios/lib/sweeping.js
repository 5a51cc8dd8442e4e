// What the sweeps have in common: their options, and where their report goes.
import sweep from 'k6/x/sweep';
import { duration, flag, oneOf, refuseSlips, text, wholeNumber, wholeNumbers } from './settings.js';

/** The folder of the report's files. */
export const results = text('RESULTS', 'results');

/**
 * What each client does in a step: ITERATIONS operations, or as many as it can in DURATION, or
 * until ops/s are known to PRECISION. Where none is set, it is the usual share.
 *
 * @param {{ iterations?: number, duration?: string }} usual
 */
export function share(usual = { iterations: 10000 }) {
  const given = ['ITERATIONS', 'DURATION', 'PRECISION'].filter((name) => text(name));
  if (given.length > 1) throw new Error(`${given.join(' and ')} exclude each other: set one of them`);
  if (text('PRECISION')) return { precision: text('PRECISION') };
  if (text('DURATION')) return { duration: duration('DURATION', undefined, { least: 100 }) };
  const iterations = wholeNumber('ITERATIONS');
  return iterations ? { iterations } : usual;
}

/**
 * The usual share of scenarios of which nothing is published: with one client as with 512, enough
 * operations for a p99. A number of operations would be a tenth of a second of the one, or an hour
 * of the others.
 */
export const tenSeconds = { duration: '10s' };

/**
 * How long a sweep waits at most until its target is at rest: it may still work on what was loaded
 * before.
 */
export const quiet = () => duration('QUIET', '60s', { least: 0 });

/**
 * k6 options of a sweep with one scenario. CLIENTS, ITERATIONS, DURATION or PRECISION, WARMUP,
 * REPEATS, REPEAT_ORDER, ORDER, ORDER_SEED, INTERVALS, PAUSE, MAX_DURATION and PORTABLE override
 * the published defaults; GATES names a file of gates, from the scenario's folder. A run with a
 * failed operation, an incomplete step or a crossed gate ends with exit code 99.
 *
 * @param {string} scenario name of the scenario, and of the report's files
 * @param {string} op       name of its operation
 * @param {object} more     options that the settings do not change
 * @param {{ iterations?: number, duration?: string }} [usual] share of a client where the settings
 *   name none; the published one when not given
 */
export function sweepOptions(scenario, op, more = {}, usual = undefined) {
  refuseSlips(scenario);
  const portable = flag('PORTABLE', false);
  return {
    ...sweep.options({
      scenario,
      op,
      clients: wholeNumbers('CLIENTS', [1, 8, 16, 32, 64, 128, 512], 100000),
      ...share(usual),
      warmup: duration('WARMUP', '2s', { least: 0 }),
      repeats: wholeNumber('REPEATS', 1),
      repeatOrder: oneOf('REPEAT_ORDER', ['grouped', 'interleaved'], 'grouped'),
      order: oneOf('ORDER', ['listed', 'random'], 'listed'),
      orderSeed: wholeNumber('ORDER_SEED', undefined, 0),
      intervals: flag('INTERVALS', undefined),
      pause: duration('PAUSE', '1s', { least: 0 }),
      quiet: quiet(),
      maxDuration: duration('MAX_DURATION', portable ? null : '1h'), // a portable step's slot is as long as this
      gates: text('GATES'),
      portable,
      ...more,
    }),
    setupTimeout: '2m',
  };
}

/**
 * k6 options of several sweeps, each of which begins when the one before has ended.
 *
 * @param {string[]} scenarios their names
 * @param {(scenario: string, after: { after?: string }, i: number) => any} optionsOf the options of
 *   each; `after` is to be among them
 */
export function oneAfterAnother(scenarios, optionsOf) {
  const all = scenarios.map((scenario, i) => optionsOf(scenario, i > 0 ? { after: scenarios[i - 1] } : {}, i));
  return {
    ...all[0],
    scenarios: Object.assign({}, ...all.map((one) => one.scenarios)),
    thresholds: Object.assign({}, ...all.map((one) => one.thresholds)),
  };
}

/**
 * k6 thresholds of the file of gates that GATES names, for a scenario that is no sweep; none
 * when it is not set.
 */
export function gates() {
  const file = text('GATES');
  return file ? sweep.gates(file) : {};
}

/**
 * Calls an operation again and again, as sweep.run does; where there is a base, it is a duet.
 *
 * @param {() => unknown} change
 * @param {() => unknown} [base]
 */
export function run(change, base = undefined) {
  sweep.run(base ? { base, change } : change);
}

/**
 * For handleSummary: the tables on standard output, and the report's files in RESULTS (results).
 *
 * @param {any} data
 * @param {(report: any) => import('k6/x/sweep').Table[]} [tables] what the scenario makes of a
 *   report's figures
 * @param {{ together?: string, sideBySide?: any[] }} [more] what stands side by side
 */
export function sweepReport(data, tables = undefined, more = {}) {
  return sweep.report(data, { dir: results, tables, ...more });
}
