// The options of sweeps. k6 reads them in the first VU, so the others do not load this file, which
// takes memory. See sweepOptions in sweeping.js.
import sweep from 'k6/x/sweep';
import { duration, flag, oneOf, refuseSlips, text, wholeNumber, wholeNumbers } from './settings.js';

/**
 * Returns the share of each client in a step: ITERATIONS, DURATION or PRECISION, else the default.
 *
 * @param {{ iterations?: number, duration?: string }} usual
 */
export function share(usual = { iterations: 10000 }) {
  const given = ['ITERATIONS', 'DURATION', 'PRECISION'].filter((name) => text(name));
  if (given.length > 1) sweep.refuse(`${given.join(' and ')} exclude each other: set one of them`);
  if (text('PRECISION')) return { precision: text('PRECISION') };
  if (text('DURATION')) return { duration: duration('DURATION', undefined, { least: 100 }) };
  const iterations = wholeNumber('ITERATIONS');
  return iterations ? { iterations } : usual;
}

/** The longest wait for an idle target: it may still process the loaded data. */
export const quiet = () => duration('QUIET', '60s', { least: 0 });

/** See sweepOptions in sweeping.js. */
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
      maxDuration: duration('MAX_DURATION', portable ? null : '1h'), // also the length of a portable step's time slot
      gates: text('GATES'),
      portable,
      ...more,
    }),
    setupTimeout: '2m',
  };
}

/** See oneAfterAnother in sweeping.js. */
export function oneAfterAnother(scenarios, optionsOf) {
  const all = scenarios.map((scenario, i) => optionsOf(scenario, i > 0 ? { after: scenarios[i - 1] } : {}, i));
  return {
    ...all[0],
    scenarios: Object.assign({}, ...all.map((one) => one.scenarios)),
    thresholds: Object.assign({}, ...all.map((one) => one.thresholds)),
  };
}
