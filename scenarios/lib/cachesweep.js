// The part of cache-sweep that only the first VU runs: it reads the settings and describes the run.
import sweep from 'k6/x/sweep';
import * as caches from './caches.js';
import * as settings from './settings.js';
import * as sweeping from './sweeping.js';

const { targets } = caches;
const scenario = 'cache-sweep';
const scenarioOf = (target) => (targets.length > 1 ? `${scenario}-${target}` : scenario);
const mix = settings.shares('MIX', ['get', 'set', 'delete', 'touch', 'getOrSet', 'getMulti'], 'get:91,set:9');

const keys = {
  count: settings.wholeNumber('KEYS', 100000),
  distribution: settings.oneOf('DISTRIBUTION', ['uniform', 'zipf', 'hotcold', 'sequential', 'gaussian'], 'uniform'),
};

const sideOf = (target) => ({
  client: caches.planned(target, target === 'redis' && settings.redisCluster()),
  work: {
    iterations: 1000, // per call; the step ends the last call early
    mix,
    keys,
    values: settings.bytes('VALUE', 100, 0, 1073741824),
    batch: settings.wholeNumber('BATCH', 50, 1, 10000),
    pipeline: settings.wholeNumber('PIPELINE', 1, 1, 10000),
    allowMisses: settings.flag('ALLOW_MISSES', 'delete' in mix || (target === 'umem' && 'set' in mix)), // umem's set deletes first
  },
  url: caches.urlOf(target),
  instances: caches.instancesOf(target),
});

/** The workload of each server; base is the base of a duet. */
export const plans = targets.map((target) => ({
  target,
  ...sideOf(target),
  base: caches.baseOf(target, ['BATCH', 'PIPELINE', 'REDIS_CLUSTER'], () => sideOf(target)),
}));

export const options = sweeping.oneAfterAnother(targets.map(scenarioOf), (name, after, i) => sweeping.sweepOptions(name, scenario, {
  opNames: Object.keys(mix),
  env: { CACHE: targets[i] },
  ...after,
}, sweeping.tenSeconds));

/** Describes the run in the reports. */
export function describe() {
  for (const { target, work, url, instances, base } of plans) {
    sweep.meta({
      scenario: scenarioOf(target),
      target: { kind: target, url, instances },
      params: { mix, keys: keys.count, distribution: keys.distribution, value: work.values, batch: work.batch, pipeline: work.pipeline, ...(work.allowMisses && { allowMisses: true }) },
      results: sweeping.results,
      name: sweeping.fileName(scenario, target, base),
    });
    if (base) {
      const { batch, pipeline } = base.work;
      sweep.meta({ scenario: scenarioOf(target), base: { url: base.url, instances: base.instances, batch, pipeline } });
    }
  }
}

/** Returns the report of each server, with all of them side by side. */
export const report = (data) => sweeping.sweepReport(data, undefined, targets.length > 1 ? { together: scenario } : {});
