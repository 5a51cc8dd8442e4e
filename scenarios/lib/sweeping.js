// What the sweeps have in common: their options, and where their report goes.
import sweep from 'k6/x/sweep';
import { text } from './settings.js';

/** The folder of the report's files. */
export const results = text('RESULTS', 'results');

/**
 * The name of a report's files: that of the scenario, what it was measured with, and whether it was
 * a duet, so that none takes the place of another.
 */
export const fileName = (scenario, variant, base) => `${scenario}-${variant}${base ? '-duet' : ''}`;

/**
 * The usual share of scenarios of which nothing is published: with one client as with 512, enough
 * operations for a p99. A number of operations would be a tenth of a second of the one, or an hour
 * of the others.
 */
export const tenSeconds = { duration: '10s' };

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
 * @returns {any} undefined in all VUs but the first, which is where k6 reads options
 */
export function sweepOptions(scenario, op, more = {}, usual = undefined) {
  if (__VU > 0) return undefined;
  return require('./options.js').sweepOptions(scenario, op, more, usual);
}

/**
 * k6 options of several sweeps, each of which begins when the one before has ended.
 *
 * @param {string[]} scenarios their names
 * @param {(scenario: string, after: { after?: string }, i: number) => any} optionsOf the options of
 *   each; `after` is to be among them
 * @returns {any} undefined in all VUs but the first
 */
export function oneAfterAnother(scenarios, optionsOf) {
  if (__VU > 0) return undefined;
  return require('./options.js').oneAfterAnother(scenarios, optionsOf);
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
