// The published hit-rate benchmark of caches: one pass warms the cache, the next one is measured.
// Source: imchuncai/umem-cache-benchmark at 17218b3. Settings: see README.md.
//
// With the published limits of the servers (in MB), for one server and for all:
//   export MEMCACHED_MEMORY=2048 MEMCACHED_ITEM=2 MEMCACHED_CONNECTIONS=512
//   scripts/servers.sh with memcached -- bin/k6 run scenarios/cache-hitrate.js
//   REDIS_MEMORY=100 REDIS_CONNECTIONS=512 scripts/servers.sh up redis
//   eval "$(scripts/servers.sh env)"
//   bin/k6 run scenarios/cache-hitrate.js -e TARGETS=all -e CONFIG=100m-512b
// Build umem-cache with its limit: make MEM_LIMIT=2147483648. Start pogocache with: --threads=4
// --maxmemory=2147483648 --maxconns=512.
import exec from 'k6/execution';
import sweep from 'k6/x/sweep';
import { instancesOf, planned, targets, urlOf } from './lib/caches.js';
import { newClient } from './lib/clients.js';
import { accesses, averageItem, config, name, table } from './lib/hitrate.js';
import { memoryOf, pidsOf } from './lib/memory.js';
import { quiet } from './lib/options.js';
import { duration, refuseSlips, text, wholeNumber } from './lib/settings.js';
import { fileName, oneAfterAnother, results, sweepReport } from './lib/sweeping.js';

const scenario = 'cache-hitrate';
refuseSlips(scenario);
const scenarioOf = (target) => (targets.length > 1 ? `${scenario}-${target}` : scenario);
const clients = Object.fromEntries(targets.map((target) => [target, newClient(planned(target))]));
const vmHwm = wholeNumber('VMHWM');
if (vmHwm !== undefined && targets.length > 1) sweep.refuse('VMHWM is for one server: set TARGET, or NAME_PID for each of TARGETS');

export const options = oneAfterAnother(targets.map(scenarioOf), (sweepName, after, i) => sweep.options({
  scenario: sweepName,
  clients: [wholeNumber('CLIENTS', 64, 1, 100000)],
  untilDone: true,
  opNames: ['getOrSet'],
  quiet: quiet(),
  maxDuration: duration('MAX_DURATION', '6h'),
  env: { CACHE: targets[i] },
  ...after,
  gates: targets.length > 1 ? undefined : text('GATES'),
}));

// Calls fn; an error ends the test with one line.
function orAbort(fn) {
  try {
    return fn();
  } catch (e) {
    return exec.test.abort(e.message);
  }
}

export function setup() {
  // Checks all servers before the first one is measured.
  const memories = targets.map((target) => orAbort(() => memoryOf(target, clients[target], config.memory, name ? `CONFIG=${name}` : 'MEMORY')));
  for (const [i, target] of targets.entries()) {
    const pids = pidsOf(target);
    sweep.meta({
      scenario: scenarioOf(target),
      target: { kind: target, url: urlOf(target), instances: instancesOf(target), ...memories[i] },
      params: { config: name || 'own', ...config, accesses },
      cache: { memory: config.memory, item: averageItem, ...(vmHwm ? { vmHwm } : { pids }) },
      results,
      name: fileName(scenario, target),
    });
  }
}

export default function () {
  const client = clients[__ENV.CACHE];
  orAbort(() => {
    client.connect();
    const { failed } = client.hitRate({ config, pass: 'warmup' });
    if (failed > 0) throw new Error(`${failed} accesses of the warm-up pass failed`);
  });
  sweep.run(() => client.hitRate({ config, pass: 'timed', iterations: 100 }));
}

/** Returns the report of each server; the last one has all of them side by side. */
export function handleSummary(data) {
  const measured = [];
  return sweepReport(data, (report) => {
    measured.push({ target: targets.find((target) => scenarioOf(target) === report.scenario), report });
    return [table(measured.length === targets.length ? measured : measured.slice(-1))];
  }, targets.length > 1 ? { together: scenario } : {});
}
