// What the scenarios of caches have in common: which servers there are, and where.
import sweep from 'k6/x/sweep';
import { oneOf, ofBase, text, wholeNumber } from './settings.js';

const names = ['memcached', 'umem', 'redis', 'pogocache'];

/** Names of the servers that TARGETS (all, or a list) or TARGET asks for. */
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

/** The settings that say where a server is, and where it is when they do not. */
const addresses = {
  memcached: { setting: 'MEMCACHED_URL', usual: '127.0.0.1:11211' },
  umem: { setting: 'UMEM_URL', usual: '[::1]:10047' },
  redis: { setting: 'REDIS_URL', usual: 'redis://127.0.0.1:6379' },
  pogocache: { setting: 'POGOCACHE_URL', usual: '127.0.0.1:9401' },
};

/** The address of a server, as its variable has it. */
export function addressOf(name) {
  return text(addresses[name].setting, addresses[name].usual);
}

/** The same as a URL, of the first instance where there are several. */
export function urlOf(name) {
  const [address] = addressOf(name).split(',');
  return address.includes('://') ? address : `${name}://${address}`;
}

/** The protocol that a server is spoken to in, as the modules are called: k6/x/resp and so on. */
export function protocolOf(name) {
  if (name === 'pogocache') return oneOf('POGOCACHE_PROTOCOL', ['resp', 'memcached'], 'resp');
  return { umem: 'umemcache', redis: 'resp' }[name] || name;
}

/** What newClient of clients.js needs to make a client of the server. */
export function planned(name) {
  /** @type {any} */
  const options = { timeout: text('TIMEOUT', '60s') };
  if (name === 'umem') {
    options.generation = oneOf('UMEM_GENERATION', ['G1', 'G2', 'G3'], 'G3');
    options.threads = wholeNumber('UMEM_THREADS', 4, 1, 1024);
  }
  return { protocol: protocolOf(name), address: addressOf(name), options };
}

/** How many instances of a server there are. */
export function instancesOf(name) {
  return addressOf(name).split(',').length;
}

/**
 * The base of a duet on this server, where the settings ask for one: what make returns for the
 * base's settings. `others` are settings of the scenario that it may have otherwise.
 */
export function baseOf(name, others, make) {
  if (targets.length > 1 && text('BASE_URL')) sweep.refuse(`BASE_URL is of one server: set TARGET, or BASE_${addresses[name].setting}`);
  return ofBase(addresses[name].setting, ['TIMEOUT', 'UMEM_GENERATION', 'UMEM_THREADS', 'POGOCACHE_PROTOCOL', ...others], make);
}
