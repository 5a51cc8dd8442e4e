// What the scenarios of caches have in common: which servers there are, and where.
import memcached from 'k6/x/memcached';
import resp from 'k6/x/resp';
import umemcache from 'k6/x/umemcache';
import { oneOf, text, wholeNumber, wholeNumbers } from './settings.js';

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

const timeout = text('TIMEOUT', '60s');

const servers = {
  memcached: {
    address: 'MEMCACHED_ADDR',
    fallback: '127.0.0.1:11211',
    client: (address) => new memcached.Client(address, { timeout }),
  },
  umem: {
    address: 'UMEM_ADDR',
    fallback: '[::1]:10047',
    client: (address) => new umemcache.Client(address, {
      timeout,
      generation: oneOf('UMEM_GENERATION', ['G1', 'G2', 'G3'], 'G3'),
      threads: wholeNumber('UMEM_THREADS', 4, 1, 1024),
    }),
  },
  redis: {
    address: 'REDIS_URL',
    fallback: 'redis://127.0.0.1:6379',
    client: (address) => new resp.Client(address, { timeout }),
  },
  pogocache: {
    address: 'POGOCACHE_ADDR',
    fallback: '127.0.0.1:9401',
    client: (address) => (oneOf('POGOCACHE_PROTOCOL', ['resp', 'memcached'], 'resp') === 'resp'
      ? new resp.Client(address, { timeout })
      : new memcached.Client(address, { timeout })),
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

/** Process ids of a server on this machine, from NAME_PID; none when that is not set. */
export function pidsOf(name) {
  return wholeNumbers(`${name.toUpperCase()}_PID`, [], 2 ** 31 - 1);
}
