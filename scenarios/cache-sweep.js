// Caches under 1 to 512 clients that mostly read small values. Settings: see README.md.
//
//   scripts/servers.sh with redis -- bin/k6 run scenarios/cache-sweep.js -e TARGET=redis
import { SharedArray } from 'k6/data';
import sweep from 'k6/x/sweep';
import { newClient } from './lib/clients.js';

// Only the first VU reads the settings: the code for it takes 70 kB of each VU that loads it.
const first = __VU === 0 ? require('./lib/cachesweep.js') : undefined;

/** @type {any[]} */
const plans = new SharedArray('cache-sweep', () => first.plans);
const sides = Object.fromEntries(plans.map(({ target, base, ...own }) => [target, { change: sideOf(own), base: base && sideOf(base) }]));

function sideOf({ client, work }) {
  return { client: newClient(client), work };
}

export const options = first && first.options;

export function setup() {
  first.describe();
}

export default function () {
  const { change, base } = sides[__ENV.CACHE];
  change.client.connect();
  if (base) base.client.connect();
  const work = working(change);
  sweep.run(base ? { base: working(base), change: work } : work);
}

/** Returns the operation of one side. */
function working({ client, work }) {
  client.prefill(work); // writes this client's share of the keys, once
  return () => client.run(work);
}

export const handleSummary = (data) => first.report(data);
