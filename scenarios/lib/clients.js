// Creates the clients of cache scenarios in each VU. The first VU reads the settings, and shares
// them.

/**
 * Returns a client for a plan of caches.js: { connect, run, hitRate, close }. Loads only the module
 * of its protocol, because each module takes memory in each VU.
 *
 * @param {{ protocol: string, address: string, options: any }} planned
 */
export function newClient({ protocol, address, options }) {
  const { Client } = load(protocol);
  return new Client(address, options);
}

/** @returns {any} the module of a protocol */
function load(protocol) {
  switch (protocol) {
    case 'memcached': return require('k6/x/memcached');
    case 'umemcache': return require('k6/x/umemcache');
    default: return require('k6/x/resp');
  }
}
