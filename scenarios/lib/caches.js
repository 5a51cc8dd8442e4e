// What the scenarios of caches have in common: which servers there are, and where.
import memcached from 'k6/x/memcached';
import resp from 'k6/x/resp';
import umemcache from 'k6/x/umemcache';
import { flag, oneOf, ofBase, text, wholeNumber, wholeNumbers } from './settings.js';

const names = ['memcached', 'umem', 'redis', 'pogocache'];

/** Names of the servers that TARGETS (all, or a list) or TARGET asks for. */
export const targets = (() => {
  const list = text('TARGETS');
  if (list && text('TARGET')) throw new Error('TARGET and TARGETS exclude each other: set one of them');
  if (!list) return [oneOf('TARGET', names, 'memcached')];
  const asked = list === 'all' ? names : list.split(',').map((name) => name.trim());
  if (asked.some((name, i) => !names.includes(name) || asked.indexOf(name) !== i)) {
    throw new Error(`TARGETS must be all, or a comma-separated list of ${names.join(', ')}, but is "${list}"`);
  }
  return asked;
})();

const timeout = () => text('TIMEOUT', '60s');

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

const servers = {
  memcached: {
    address: 'MEMCACHED_URL',
    fallback: '127.0.0.1:11211',
    client: (address) => new memcached.Client(address, { timeout: timeout() }),
    memory: memcachedMemory,
    start: (bytes) => `--memory-limit ${Math.round(bytes / mib)}, and without --disable-evictions`,
  },
  umem: {
    address: 'UMEM_URL',
    fallback: '[::1]:10047',
    client: (address) => new umemcache.Client(address, {
      timeout: timeout(),
      generation: oneOf('UMEM_GENERATION', ['G1', 'G2', 'G3'], 'G3'),
      threads: wholeNumber('UMEM_THREADS', 4, 1, 1024),
    }),
    memory: () => [], // it has no command that tells
    start: (bytes) => `make MEM_LIMIT=${bytes}`,
  },
  redis: {
    address: 'REDIS_URL',
    fallback: 'redis://127.0.0.1:6379',
    client: (address) => new resp.Client(address, { timeout: timeout() }),
    memory: redisMemory,
    start: (bytes) => `--maxmemory ${bytes} --maxmemory-policy allkeys-lru`,
  },
  pogocache: {
    address: 'POGOCACHE_URL',
    fallback: '127.0.0.1:9401',
    client: (address) => (oneOf('POGOCACHE_PROTOCOL', ['resp', 'memcached'], 'resp') === 'resp'
      ? new resp.Client(address, { timeout: timeout() })
      : new memcached.Client(address, { timeout: timeout() })),
    memory: (client) => (client instanceof resp.Client ? redisMemory(client) : memcachedMemory(client)),
    start: (bytes) => `--maxmemory=${bytes}`,
  },
};

/** The address of a server, as its variable has it. */
export function addressOf(name) {
  return text(servers[name].address, servers[name].fallback);
}

/** The same as a URL, of the first instance where there are several. */
export function urlOf(name) {
  const [address] = addressOf(name).split(',');
  return address.includes('://') ? address : `${name}://${address}`;
}

/** A client of the server: { connect, run, hitRate, close }. */
export function newClient(name) {
  return servers[name].client(addressOf(name));
}

/**
 * The base of a duet on this server, where the settings ask for one: what make returns for the
 * base's settings. `others` are settings of the scenario that it may have otherwise.
 */
export function baseOf(name, others, make) {
  if (targets.length > 1 && text('BASE_URL')) throw new Error(`BASE_URL is of one server: set TARGET, or BASE_${servers[name].address}`);
  return ofBase(servers[name].address, ['TIMEOUT', 'UMEM_GENERATION', 'UMEM_THREADS', 'POGOCACHE_PROTOCOL', ...others], make);
}

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
    all = servers[name].memory(client);
  } catch (e) {
    if (!['server', 'invalid', 'protocol'].includes(e.kind)) throw e; // it knows no such command
  }
  if (all.length === 0 || all.some(({ limit }) => !(limit >= 0))) return {};
  const [never] = all.map(({ policy }) => policy).filter((policy) => policy !== '');
  const limit = all.reduce((sum, one) => sum + one.limit, 0);
  const refuse = (what) => {
    const right = servers[name].start(Math.round(wanted / all.length));
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
