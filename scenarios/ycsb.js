// YCSB's core workloads on a store: loads records with fields, then reads, updates, inserts and
// scans them. Settings: see README.md.
//
//   scripts/servers.sh with redis -- bin/k6 run scenarios/ycsb.js -e STORE=redis -e WORKLOAD=a
//   bin/k6 run scenarios/ycsb.js -e TARGETS=redis,memcached
import { SharedArray } from 'k6/data';
import exec from 'k6/execution';
import sweep from 'k6/x/sweep';
import { load, newStore } from './lib/records.js';

// Only the first VU reads the settings: the code for it takes memory in each VU.
const first = __VU === 0 ? require('./lib/ycsb.js') : undefined;

/** @type {any[]} */
const plans = new SharedArray('ycsb', () => first.plans);
const sides = Object.fromEntries(plans.map(({ target, base, ...own }) => [target, { change: sideOf(own), base: base && sideOf(base) }]));

function sideOf({ plan, workload }) {
  return { store: newStore(plan), workload };
}

export const options = first && first.options;

export function setup() {
  first.describe();
  for (const { target, plan, base } of plans) {
    const each = sides[target];
    for (const side of base && base.plan.url !== plan.url ? [each.change, each.base] : [each.change]) {
      if (first.phase === 'run') mustBeLoaded(target, side);
      else side.store.clear(side.workload);
    }
  }
}

/** Ends the test if there is nothing to read. */
function mustBeLoaded(target, { store, workload }) {
  const { missing, failed } = store.ycsb({ ...workload, mix: { read: 1 }, requestDistribution: 'uniform' }, { phase: 'run', iterations: 10 });
  if (missing + failed > 0) exec.test.abort(`${missing + failed} of 10 records cannot be read: load them first, with -e PHASE=load -e STORE=${target}`);
}

export default function () {
  const { change, base } = sides[__ENV.TARGET];
  change.store.connect();
  if (base) base.store.connect();
  if (__ENV.KIND === 'load') {
    load(change.store, change.workload);
    return;
  }
  const work = working(change);
  sweep.run(base ? { base: working(base), change: work } : work);
}

/** Returns the operation of one side. */
const working = ({ store, workload }) => () => store.ycsb(workload, { phase: 'run', iterations: 1000 });

export const handleSummary = (data) => first.report(data);
