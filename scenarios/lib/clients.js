// What each VU of a scenario of caches needs to make its clients, and no more: settings are read by
// the first VU, and shared.

/**
 * A client of a server as caches.js plans it: { connect, run, hitRate, close }. Only the module of
 * its protocol is loaded: each takes memory of each VU.
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
