// Caches under clients that mostly read small values, 1 to 512 of them. Settings: see README.md.
//
//   scripts/servers.sh with memcached redis -- bin/k6 run scenarios/cache-sweep.js -e TARGETS=memcached,redis
import sweep from 'k6/x/sweep';
import { addressOf, baseOf, newClient, targets, urlOf } from './lib/caches.js';
import { oneOf, text, wholeNumber } from './lib/settings.js';
import { oneAfterAnother, results, run, sweepOptions, sweepReport, tenSeconds } from './lib/sweeping.js';

const scenario = 'cache-sweep';
const scenarioOf = (target) => (targets.length > 1 ? `${scenario}-${target}` : scenario);
const mix = (() => {
  const given = text('MIX', 'get:91,set:9');
  const shares = given.split(',').map((part) => part.trim().match(/^(get|set|delete|touch|getOrSet|getMulti):(\d+(?:\.\d+)?)$/));
  if (shares.includes(null)) {
    throw new Error(`MIX must be shares of get, set, delete, touch, getOrSet and getMulti, such as get:91,set:9, but is "${given}"`);
  }
  return Object.fromEntries(shares.map(([, op, share]) => [op, Number(share)]));
})();

const keys = {
  count: wholeNumber('KEYS', 100000),
  distribution: oneOf('DISTRIBUTION', ['uniform', 'zipf', 'hotcold', 'sequential', 'gaussian'], 'uniform'),
};

const workOf = () => ({
  iterations: 1000, // of one call; the step's share ends it before
  mix,
  keys,
  values: wholeNumber('VALUE', 100, 0, 1073741824),
  batch: wholeNumber('BATCH', 50, 1, 10000),
  pipeline: wholeNumber('PIPELINE', 1, 1, 10000),
});
const work = workOf();

const clients = Object.fromEntries(targets.map((target) => [target, newClient(target)]));
const bases = Object.fromEntries(targets.map((target) => [target, baseOf(target, ['BATCH', 'PIPELINE'], () => ({
  client: newClient(target), work: workOf(), url: urlOf(target), instances: addressOf(target).split(',').length,
}))]));

export const options = oneAfterAnother(targets.map(scenarioOf), (name, after, i) => sweepOptions(name, scenario, {
  opNames: Object.keys(mix),
  env: { CACHE: targets[i] },
  ...after,
}, tenSeconds));

export function setup() {
  for (const target of targets) {
    sweep.meta({
      scenario: scenarioOf(target),
      target: { kind: target, url: urlOf(target), instances: addressOf(target).split(',').length },
      params: { mix, keys: keys.count, distribution: keys.distribution, value: work.values, batch: work.batch, pipeline: work.pipeline },
      results,
    });
    const base = bases[target];
    if (base) {
      const { url, instances, work: { batch, pipeline } } = base;
      sweep.meta({ scenario: scenarioOf(target), base: { url, instances, batch, pipeline } });
    }
  }
}

export default function () {
  const base = bases[__ENV.CACHE];
  const client = clients[__ENV.CACHE];
  client.connect();
  if (base) base.client.connect();
  run(working(client, work), base && working(base.client, base.work));
}

/** Returns what does the work. */
function working(client, its) {
  client.prefill(its); // writes this client's share of the keys, if nobody has
  return () => client.run(its);
}

/** The report of each server, and all of them side by side. */
export const handleSummary = (data) => sweepReport(data, undefined, targets.length > 1 ? { together: scenario } : {});
