// The options of sweeps. k6 reads them in the first VU: the others need not load this, which takes
// memory of each. See sweepOptions of sweeping.js.
import sweep from 'k6/x/sweep';
import { duration, flag, oneOf, refuseSlips, text, wholeNumber, wholeNumbers } from './settings.js';

/**
 * What each client does in a step: ITERATIONS operations, or as many as it can in DURATION, or
 * until ops/s are known to PRECISION. Where none is set, it is the usual share.
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

/**
 * How long a sweep waits at most until its target is at rest: it may still work on what was loaded
 * before.
 */
export const quiet = () => duration('QUIET', '60s', { least: 0 });

/** See sweepOptions of sweeping.js. */
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

/** See oneAfterAnother of sweeping.js. */
export function oneAfterAnother(scenarios, optionsOf) {
  const all = scenarios.map((scenario, i) => optionsOf(scenario, i > 0 ? { after: scenarios[i - 1] } : {}, i));
  return {
    ...all[0],
    scenarios: Object.assign({}, ...all.map((one) => one.scenarios)),
    thresholds: Object.assign({}, ...all.map((one) => one.thresholds)),
  };
}
