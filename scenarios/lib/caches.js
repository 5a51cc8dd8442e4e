// What the scenarios with several servers share: their settings, addresses and clients.
import sweep from 'k6/x/sweep';

export const servers = ['memcached', 'umem', 'redis', 'pogocache'];

/** The settings of the caches. */
export const caches = {
  MEMCACHED_URL: '127.0.0.1:11211',
  UMEM_URL: '[::1]:10047',
  REDIS_URL: 'redis://127.0.0.1:6379',
  POGOCACHE_URL: '127.0.0.1:9401',
  POGOCACHE_PROTOCOL: ['resp', 'memcached'],
  UMEM_GENERATION: { oneOf: ['G1', 'G2', 'G3'], usual: 'G3' },
  UMEM_THREADS: { usual: 4, to: 1024 },
  TIMEOUT: '60s',
};

const setting = (target) => `${target.toUpperCase()}_URL`;
export const instancesOf = (env, target) => env[setting(target)].split(',').length;

/** Returns the address as a URL; of several instances, the first. */
export function urlOf(env, target) {
  const [address] = env[setting(target)].split(',');
  return address.includes('://') ? address : `${target}://${address}`;
}

/** Returns the settings of a duet's base on this server, which may be those of one of several. */
export function baseOf(env, targets, target, others) {
  if (!env.base || targets.length === 1) return env.base;
  if (env.BASE_URL) sweep.refuse(`BASE_URL is for one server: set one of ${targets.join(', ')}, or BASE_${setting(target)}`);
  return [setting(target), ...others].some((name) => env.base[name] !== env[name]) ? env.base : undefined;
}

/** Returns the protocol of a server. */
export const protocolOf = (env, target) => ({ umem: 'umemcache', redis: 'resp', pogocache: env.POGOCACHE_PROTOCOL }[target] || target);

/** Returns a client; loads only its own module, because each takes memory in each VU. */
export function newClient(env, target) {
  const { Client } = moduleOf(protocolOf(env, target));
  return new Client(env[setting(target)], {
    timeout: env.TIMEOUT,
    ...(target === 'umem' && { generation: env.UMEM_GENERATION, threads: env.UMEM_THREADS }),
    ...(target === 'redis' && env.REDIS_CLUSTER > 1 && { cluster: true }),
  });
}

/** @returns {any} */
function moduleOf(protocol) {
  switch (protocol) {
    case 'memcached': return require('k6/x/memcached');
    case 'umemcache': return require('k6/x/umemcache');
    default: return require('k6/x/resp');
  }
}
