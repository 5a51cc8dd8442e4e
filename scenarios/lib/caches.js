// Common code of the cache scenarios: servers and their addresses.
import sweep from 'k6/x/sweep';
import { oneOf, ofBase, text, wholeNumber } from './settings.js';

const names = ['memcached', 'umem', 'redis', 'pogocache'];

/** The names of the servers in TARGETS (all, or a list) or TARGET. */
export const targets = (() => {
  const list = text('TARGETS');
  if (list && text('TARGET')) sweep.refuse('TARGET and TARGETS exclude each other: set one of them');
  if (!list) return [oneOf('TARGET', names, 'memcached')];
  const asked = list === 'all' ? names : list.split(',').map((name) => name.trim());
  if (asked.some((name, i) => !names.includes(name) || asked.indexOf(name) !== i)) {
    sweep.refuse(`TARGETS must be all, or a comma-separated list of ${names.join(', ')}, but is "${list}"`);
  }
  return asked;
})();

/** The setting with the address of each server, and its default. */
const addresses = {
  memcached: { setting: 'MEMCACHED_URL', usual: '127.0.0.1:11211' },
  umem: { setting: 'UMEM_URL', usual: '[::1]:10047' },
  redis: { setting: 'REDIS_URL', usual: 'redis://127.0.0.1:6379' },
  pogocache: { setting: 'POGOCACHE_URL', usual: '127.0.0.1:9401' },
};

/** Returns the address of a server, as in its setting. */
export function addressOf(name) {
  return text(addresses[name].setting, addresses[name].usual);
}

/** Returns the address as a URL; of several instances, the first. */
export function urlOf(name) {
  const [address] = addressOf(name).split(',');
  return address.includes('://') ? address : `${name}://${address}`;
}

/** Returns the protocol of a server, as the k6/x modules name it, such as resp. */
export function protocolOf(name) {
  if (name === 'pogocache') return oneOf('POGOCACHE_PROTOCOL', ['resp', 'memcached'], 'resp');
  return { umem: 'umemcache', redis: 'resp' }[name] || name;
}

/** Returns the input of newClient in clients.js; cluster says that Redis is a cluster. */
export function planned(name, cluster = false) {
  /** @type {any} */
  const options = { timeout: text('TIMEOUT', '60s'), ...(cluster && { cluster }) };
  if (name === 'umem') {
    options.generation = oneOf('UMEM_GENERATION', ['G1', 'G2', 'G3'], 'G3');
    options.threads = wholeNumber('UMEM_THREADS', 4, 1, 1024);
  }
  return { protocol: protocolOf(name), address: addressOf(name), options };
}

/** Returns the number of instances of a server. */
export function instancesOf(name) {
  return addressOf(name).split(',').length;
}

/**
 * Returns the base of a duet on this server, or undefined: the result of make with the settings of
 * the base. `others` are settings of the scenario that may differ in the base.
 */
export function baseOf(name, others, make) {
  if (targets.length > 1 && text('BASE_URL')) sweep.refuse(`BASE_URL is for one server: set TARGET, or BASE_${addresses[name].setting}`);
  return ofBase(addresses[name].setting, ['TIMEOUT', 'UMEM_GENERATION', 'UMEM_THREADS', 'POGOCACHE_PROTOCOL', ...others], make);
}
