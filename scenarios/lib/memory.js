// Reads the memory settings of cache servers and checks them.
import { protocolOf } from './caches.js';
import { flag, wholeNumbers } from './settings.js';

const mib = 1024 * 1024;

/** Returns the memory settings of each memcached server. */
function memcachedMemory(client) {
  return Object.entries(client.stats('settings')).map(([address, settings]) => ({
    address, limit: number(settings.maxbytes), unlimited: false, policy: settings.evictions === 'off' ? 'evictions off' : '',
  }));
}

/** The same for Redis. Keys of the benchmark never expire, so volatile policies evict none. */
function redisMemory(client) {
  return Object.entries(client.info('memory')).map(([address, { maxmemory, maxmemory_policy: policy }]) => ({
    address, limit: number(maxmemory), unlimited: maxmemory === '0',
    policy: maxmemory !== '0' && policy && !policy.startsWith('allkeys-') ? `maxmemory-policy ${policy}` : '',
  }));
}

const number = (given) => (given === undefined ? undefined : Number(given));

/** Reads the memory settings, by protocol. */
const memories = {
  memcached: memcachedMemory,
  umemcache: () => [], // it has no command for this
  resp: redisMemory,
};

/** The command that starts a server with a memory limit in bytes. */
const starts = {
  memcached: (bytes) => `--memory-limit ${Math.round(bytes / mib)}, and without --disable-evictions`,
  umem: (bytes) => `make MEM_LIMIT=${bytes}`,
  redis: (bytes) => `--maxmemory ${bytes} --maxmemory-policy allkeys-lru`,
  pogocache: (bytes) => `--maxmemory=${bytes}`,
};

/** Returns the process ids of a local server from NAME_PID; empty if not set. */
export function pidsOf(name) {
  return wholeNumbers(`${name.toUpperCase()}_PID`, [], 2 ** 31 - 1);
}

/**
 * Reports whether a server's limit is within 1 % of the wanted one: some servers only know MiB.
 */
export const isNear = (limit, wanted) => Math.abs(limit - wanted) <= 0.01 * wanted;

/**
 * Returns facts about a server's memory for the report, as the server reports them: the limit in
 * bytes of all its instances, and whether it evicts. Empty if the server does not report them.
 *
 * @param {string} name
 * @param {object} client
 * @param {number} wanted bytes that the benchmark requires
 * @param {string} setting the setting that requires them
 * @throws if the limit differs or the server does not evict; the message has the command to start
 *   it
 */
export function memoryOf(name, client, wanted, setting) {
  let all = [];
  try {
    all = memories[protocolOf(name)](client);
  } catch (e) {
    if (!['server', 'invalid', 'protocol'].includes(e.kind)) throw e; // it does not have this command
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
