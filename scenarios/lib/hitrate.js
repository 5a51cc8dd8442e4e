// The published hit-rate benchmark: its configurations, results and table. Source:
// imchuncai/umem-cache-benchmark at 17218b3, results BENCHMARK-2G-513K and BENCHMARK-100M-512B: two
// Raspberry Pi 4B with 1 Gbit/s between them.
import sweep from 'k6/x/sweep';
import { protocolOf } from './caches.js';

const mib = 1024 * 1024;

/** The published configurations: hot accesses of a complete timed pass, and the rows. */
export const published = {
  '2g-513k': {
    memory: 2048 * mib, item: 513 * 1024, random: false, hotAccesses: 52259,
    rows: {
      memcached: [70.88, 86.33, 2109744, 70.46, 213.891, 215, 869],
      umem: [68.12, 82.64, 2097124, 68.12, 207.229, 215, 862],
      redis: [56.41, 68.74, 1709896, 56.41, 173.986, 212, 850],
      pogocache: [71.44, 84.18, 3038480, 49.31, 213.987, 151, 875],
    },
  },
  '100m-512b': {
    memory: 100 * mib, item: 512, random: false, hotAccesses: 2621158,
    rows: {
      memcached: [63.77, 77.92, 106500, 61.32, 80.655, 24910],
      umem: [62.04, 75.46, 103700, 61.26, 77.674, 25846],
      redis: [58.68, 71.34, 120800, 49.74, 108.226, 15060], // two instances
      pogocache: [51.97, 63.03, 103744, 51.3, 132.189, 12714],
    },
  },
  'random-2g-1m': { memory: 2048 * mib, item: mib, random: true, hotAccesses: 52582, rows: {} },
  'random-100m-1k': { memory: 100 * mib, item: 1024, random: true, hotAccesses: 2621031, rows: {} },
};

/** Returns the configuration of the settings: a published one, which has a name, or the user's. */
export function configOf(env) {
  const [own] = ['MEMORY', 'ITEM', 'RANDOM', 'HOT', 'ACCESS', 'DATA'].filter((setting) => env[setting] !== undefined);
  if (own && env.CONFIG) sweep.refuse(`CONFIG and ${own} exclude each other: set one of them`);
  if (own && (!env.MEMORY || !env.ITEM)) sweep.refuse('MEMORY and ITEM must both be set');
  const name = own ? undefined : env.CONFIG || '2g-513k';
  const { memory = env.MEMORY, item = env.ITEM, random = env.RANDOM ?? false, hotAccesses = undefined, rows = {} } = name ? published[name] : {};
  const config = { memory, item, random, hot: env.HOT ?? 20, access: env.ACCESS ?? 80, hotMemory: env.DATA ?? 80 };
  const accesses = Math.floor(Math.floor(((random ? 8 : 4) * memory * config.hotMemory) / config.hot) / item); // of a pass, as published
  return { name, config, accesses, hotAccesses, rows };
}

/** @type {import('k6/x/sweep').Table['columns']} */
const columns = [
  { name: 'hit_rate', unit: '%', better: 'higher', digits: 2 },
  { name: 'hot hit_rate', unit: '%', better: 'higher', digits: 2 },
  { name: 'VmHWM', unit: 'kB', better: 'lower', digits: 0 },
  { name: 'per_memory_hit_rate', unit: '%', better: 'higher', digits: 2 },
  { name: 'seconds', better: 'lower', digits: 3 },
  { name: 'hit/s/mem', better: 'higher', digits: 0 },
  { name: 'out', unit: 'Mib/s', better: 'higher', digits: 0 },
];

/**
 * Returns the published columns for all servers, each with its published row, and notes.
 *
 * @param {any} benchmark of configOf
 * @param {{ target: string, report: any }[]} measured report of each server
 * @returns {import('k6/x/sweep').Table}
 */
export function table({ name, config, accesses, hotAccesses, rows: published }, measured) {
  const rows = [];
  const notes = [];
  for (const { target, report } of measured) {
    for (const { seconds, complete, extra } of report.steps) {
      rows.push([
        target, extra.hitRate, extra.hotHitRate, extra.vmHwmBytes && Math.round(extra.vmHwmBytes / 1024), extra.perMemoryHitRate, seconds,
        extra.hitsPerSecondMem, extra.outMibPerSecond,
      ]);
      notes.push(...notesOf(target, report, config.memory, complete, extra, hotAccesses).map((note) => `${target}: ${note}`));
    }
    if (published[target]) rows.push([`${target}, published`, ...columns.map((_, i) => published[target][i])]);
  }
  const what = name || `memory ${config.memory}, item ${config.item}${config.random ? ', random' : ''}`;
  return { title: `Hit rate, ${what}: ${accesses} accesses per pass`, columns: [{ name: 'server' }, ...columns], rows, notes };
}

function notesOf(target, { started, target: { memoryLimit: limit, evicts } }, memory, complete, { vmHwmBytes, vmHwmSince, hot }, hotAccesses) {
  return [
    limit === undefined && `the server does not tell its memory limit; that it is ${memory} bytes is not verified.`,
    limit === 0 && `THE SERVER HAS NO MEMORY LIMIT, but the benchmark needs ${memory} bytes.`,
    limit > 0 && !isNear(limit, memory) && `THE SERVER HAS ${limit} BYTES, but the benchmark needs ${memory}.`,
    limit > 0 && !evicts && 'THE SERVER DOES NOT EVICT keys of the benchmark.',
    vmHwmBytes === undefined && `VmHWM is unknown, so figures with it are missing: set ${target.toUpperCase()}_PID for a server on this machine, `
      + 'or VMHWM=bytes for another one.',
    Date.parse(vmHwmSince) < Date.parse(started) - 1000 // Linux clocks have a resolution of 10 ms
      && `VmHWM counts since the server's start at ${vmHwmSince}, not since the start of the run: only the server's user can reset it.`,
    !complete && 'the timed pass is not complete.',
    complete && hotAccesses && hot !== hotAccesses && `WRONG CHECK FIGURE: ${hot} hot accesses instead of the published ${hotAccesses}.`,
  ].filter(Boolean);
}

/** Reports whether a limit is within 1 % of the wanted one: some servers only know MiB. */
const isNear = (limit, wanted) => Math.abs(limit - wanted) <= 0.01 * wanted;

/** Reads the memory settings of each server, by protocol. umem-cache has no command for them. */
const memories = {
  memcached: (client) => Object.entries(client.stats('settings')).map(([address, { maxbytes, evictions }]) => ({
    address, limit: Number(maxbytes), unlimited: false, policy: evictions === 'off' ? 'evictions off' : '',
  })),
  resp: (client) => Object.entries(client.info('memory')).map(([address, { maxmemory, maxmemory_policy: policy }]) => ({ // keys of the benchmark never expire
    address, limit: Number(maxmemory), unlimited: maxmemory === '0',
    policy: maxmemory !== '0' && policy && !policy.startsWith('allkeys-') ? `maxmemory-policy ${policy}` : '',
  })),
  umemcache: () => [],
};

/** The command that starts a server with a memory limit in bytes. */
const starts = {
  memcached: (bytes) => `--memory-limit ${Math.round(bytes / mib)}, and without --disable-evictions`,
  umem: (bytes) => `make MEM_LIMIT=${bytes}`,
  redis: (bytes) => `--maxmemory ${bytes} --maxmemory-policy allkeys-lru`,
  pogocache: (bytes) => `--maxmemory=${bytes}`,
};

/**
 * Returns facts about a server's memory for the report, as the server reports them: the limit in
 * bytes of all its instances, and whether it evicts.
 *
 * @throws if they differ from the configuration; the message has the command to start the server
 */
export function memoryOf(env, target, client, { name, config: { memory } }) {
  let all = [];
  try {
    all = memories[protocolOf(env, target)](client);
  } catch (e) {
    if (!['server', 'invalid', 'protocol'].includes(e.kind)) throw e; // it does not have this command
  }
  if (all.length === 0 || all.some(({ limit }) => !(limit >= 0))) return {};
  const never = all.map(({ policy }) => policy).find((policy) => policy !== '');
  const limit = all.reduce((sum, one) => sum + one.limit, 0);
  const unlimited = all.some((one) => one.unlimited);
  const setting = name ? `CONFIG=${name}` : 'MEMORY';
  const [wrong] = [
    unlimited && `has no memory limit, and ${setting} is ${memory} bytes`,
    !isNear(limit, memory) && `has a memory limit of ${limit} bytes, and ${setting} is ${memory}`,
    never && `does not evict what the benchmark writes (${never})`,
  ].filter(Boolean);
  if (wrong && !env.OTHER_MEMORY) {
    throw new Error(`${target} at ${all.map(({ address }) => address).join(', ')} ${wrong}: start it with ${starts[target](Math.round(memory / all.length))}`
      + `${all.length > 1 ? ', each instance' : ''}; OTHER_MEMORY=true measures it as it is`);
  }
  return { memoryLimit: limit, evicts: !never && !unlimited };
}
