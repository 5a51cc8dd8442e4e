// Caches under clients that mostly read small values, 1 to 512 of them. Settings: see README.md.
//
//   scripts/servers.sh with memcached redis -- bin/k6 run scenarios/cache-sweep.js -e TARGETS=memcached,redis
import sweep from 'k6/x/sweep';
import * as caches from './lib/caches.js';
import * as settings from './lib/settings.js';
import * as sweeping from './lib/sweeping.js';

const { targets } = caches;

const scenario = 'cache-sweep';
const scenarioOf = (target) => (targets.length > 1 ? `${scenario}-${target}` : scenario);
const mix = settings.shares('MIX', ['get', 'set', 'delete', 'touch', 'getOrSet', 'getMulti'], 'get:91,set:9');

const keys = {
  count: settings.wholeNumber('KEYS', 100000),
  distribution: settings.oneOf('DISTRIBUTION', ['uniform', 'zipf', 'hotcold', 'sequential', 'gaussian'], 'uniform'),
};

const workOf = () => ({
  iterations: 1000, // of one call; the step's share ends it before
  mix,
  keys,
  values: settings.wholeNumber('VALUE', 100, 0, 1073741824),
  batch: settings.wholeNumber('BATCH', 50, 1, 10000),
  pipeline: settings.wholeNumber('PIPELINE', 1, 1, 10000),
});
const work = workOf();

const clients = {};
const bases = {};
targets.forEach((target) => {
  clients[target] = caches.newClient(target);
  bases[target] = caches.baseOf(target, ['BATCH', 'PIPELINE'], () => ({
    client: caches.newClient(target), work: workOf(), url: caches.urlOf(target), instances: caches.addressOf(target).split(',').length,
  }));
});

export const options = sweeping.oneAfterAnother(targets.map(scenarioOf), (name, after, i) => sweeping.sweepOptions(name, scenario, {
  opNames: Object.keys(mix),
  env: { CACHE: targets[i] },
  ...after,
}, sweeping.tenSeconds));

export function setup() {
  for (const target of targets) {
    sweep.meta({
      scenario: scenarioOf(target),
      target: { kind: target, url: caches.urlOf(target), instances: caches.addressOf(target).split(',').length },
      params: { mix, keys: keys.count, distribution: keys.distribution, value: work.values, batch: work.batch, pipeline: work.pipeline },
      results: sweeping.results,
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
  sweeping.run(working(client, work), base && working(base.client, base.work));
}

/** Returns what does the work. */
function working(client, its) {
  client.prefill(its); // writes this client's share of the keys, if nobody has
  return () => client.run(its);
}

/** The report of each server, and all of them side by side. */
export const handleSummary = (data) => sweeping.sweepReport(data, undefined, targets.length > 1 ? { together: scenario } : {});
