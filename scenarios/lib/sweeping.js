// Common code of the sweeps: their options and reports.
import sweep from 'k6/x/sweep';
import { text } from './settings.js';

/** The folder of the report's files. */
export const results = text('RESULTS', 'results');

/**
 * Returns the name of the report's files: scenario, variant, and -duet, so that reports do not
 * replace each other.
 */
export const fileName = (scenario, variant, base) => `${scenario}-${variant}${base ? '-duet' : ''}`;

/**
 * The default share of scenarios without published figures: with 1 client as with 512, enough
 * operations for a p99. A fixed number would take a tenth of a second with one, and an hour with
 * the other.
 */
export const tenSeconds = { duration: '10s' };

/**
 * Returns k6 options for a sweep with one scenario. CLIENTS, ITERATIONS, DURATION or PRECISION,
 * WARMUP, REPEATS, REPEAT_ORDER, ORDER, ORDER_SEED, INTERVALS, PAUSE, MAX_DURATION and PORTABLE
 * override the published defaults; GATES is the path of a gate file, relative to the scenario. The
 * exit code is 99 after a failed operation, an incomplete step or a crossed gate.
 *
 * @param {string} scenario name of the scenario, and of the report's files
 * @param {string} op       name of its operation
 * @param {object} more     options without settings
 * @param {{ iterations?: number, duration?: string }} [usual] default share of a client; the
 *   published one if not given
 * @returns {any} undefined except in the first VU, where k6 reads options
 */
export function sweepOptions(scenario, op, more = {}, usual = undefined) {
  if (__VU > 0) return undefined;
  return require('./options.js').sweepOptions(scenario, op, more, usual);
}

/**
 * Returns k6 options for several sweeps, each of which begins after the previous one.
 *
 * @param {string[]} scenarios their names
 * @param {(scenario: string, after: { after?: string }, i: number) => any} optionsOf returns the
 *   options of each, including `after`
 * @returns {any} undefined except in the first VU
 */
export function oneAfterAnother(scenarios, optionsOf) {
  if (__VU > 0) return undefined;
  return require('./options.js').oneAfterAnother(scenarios, optionsOf);
}

/**
 * Repeats an operation, as sweep.run does; with a base, it runs a duet.
 *
 * @param {() => import('k6/x/sweep').Done} change
 * @param {() => import('k6/x/sweep').Done} [base]
 */
export function run(change, base = undefined) {
  sweep.run(base ? { base, change } : change);
}

/**
 * For handleSummary: prints the tables, and writes the report's files to RESULTS (results).
 *
 * @param {any} data
 * @param {(report: any) => import('k6/x/sweep').Table[]} [tables] returns more tables for a report
 * @param {{ together?: string, sideBySide?: any[] }} [more] reports or operations shown side by
 *   side
 */
export function sweepReport(data, tables = undefined, more = {}) {
  return sweep.report(data, { dir: results, tables, ...more });
}
