// What servers of caches tell of their memory, and what is wrong with it.
import { protocolOf } from './caches.js';
import { flag, wholeNumbers } from './settings.js';

const mib = 1024 * 1024;

/** What memcached tells of the memory of each server. */
function memcachedMemory(client) {
  return Object.entries(client.stats('settings')).map(([address, settings]) => ({
    address, limit: number(settings.maxbytes), unlimited: false, policy: settings.evictions === 'off' ? 'evictions off' : '',
  }));
}

/**
 * The same of Redis. Keys of the benchmark never expire: a policy for those that do evicts none.
 */
function redisMemory(client) {
  return Object.entries(client.info('memory')).map(([address, { maxmemory, maxmemory_policy: policy }]) => ({
    address, limit: number(maxmemory), unlimited: maxmemory === '0',
    policy: maxmemory !== '0' && policy && !policy.startsWith('allkeys-') ? `maxmemory-policy ${policy}` : '',
  }));
}

const number = (given) => (given === undefined ? undefined : Number(given));

/** By protocol, what a server tells of its memory. */
const memories = {
  memcached: memcachedMemory,
  umemcache: () => [], // it has no command that tells
  resp: redisMemory,
};

/** How to start a server with so many bytes. */
const starts = {
  memcached: (bytes) => `--memory-limit ${Math.round(bytes / mib)}, and without --disable-evictions`,
  umem: (bytes) => `make MEM_LIMIT=${bytes}`,
  redis: (bytes) => `--maxmemory ${bytes} --maxmemory-policy allkeys-lru`,
  pogocache: (bytes) => `--maxmemory=${bytes}`,
};

/** Process ids of a server on this machine, from NAME_PID; none when that is not set. */
export function pidsOf(name) {
  return wholeNumbers(`${name.toUpperCase()}_PID`, [], 2 ** 31 - 1);
}

/** Whether a server's limit is the wanted one: within 1 %, as some know whole MiB only. */
export const isNear = (limit, wanted) => Math.abs(limit - wanted) <= 0.01 * wanted;

/**
 * What the report is to tell of a server's memory, asked of the server itself: its limit in bytes,
 * of all its instances together, and whether it makes room in it. Nothing where the server does not
 * tell.
 *
 * @param {string} name
 * @param {object} client
 * @param {number} wanted bytes that the benchmark is made for
 * @param {string} setting that says so
 * @throws where the limit is another one, or the server does not evict: with what it has, and how
 *   to start it
 */
export function memoryOf(name, client, wanted, setting) {
  let all = [];
  try {
    all = memories[protocolOf(name)](client);
  } catch (e) {
    if (!['server', 'invalid', 'protocol'].includes(e.kind)) throw e; // it knows no such command
  }
  if (all.length === 0 || all.some(({ limit }) => !(limit >= 0))) return {};
  const [never] = all.map(({ policy }) => policy).filter((policy) => policy !== '');
  const limit = all.reduce((sum, one) => sum + one.limit, 0);
  const refuse = (what) => {
    const right = starts[name](Math.round(wanted / all.length));
    throw new Error(`${name} at ${all.map(({ address }) => address).join(', ')} ${what}: start it with ${right}`
      + `${all.length > 1 ? ', each instance' : ''}; OTHER_MEMORY=true measures it as it is`);
  };
  if (!flag('OTHER_MEMORY', false)) {
    if (all.some(({ unlimited }) => unlimited)) refuse(`has no memory limit, and ${setting} is ${wanted} bytes`);
    if (!isNear(limit, wanted)) refuse(`has a memory limit of ${limit} bytes, and ${setting} is ${wanted}`);
    if (never) refuse(`does not evict what the benchmark writes (${never})`);
  }
  return { memoryLimit: limit, evicts: !never && !all.some(({ unlimited }) => unlimited) };
}
