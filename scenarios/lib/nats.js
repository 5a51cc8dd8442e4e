// What the scenarios of NATS have in common: where the server is, and which layouts of records
// there are.
import nats from 'k6/x/nats';
import sweep from 'k6/x/sweep';
import { duration, oneOf, ofBase, text } from './settings.js';

const address = () => text('NATS_URL', 'nats://127.0.0.1:4222');

/** A client as the settings ask for it, with options of its own. */
export function newClient(options = {}) {
  return new nats.Client(address(), { timeout: duration('TIMEOUT', '60s'), ...options });
}

/** For the report: what is measured. url is the server's, where the settings do not say it. */
export function target(client, url = address()) {
  const { version } = client.info();
  return { kind: 'nats', version: `v${version}`, url: url.split(',')[0] };
}

/**
 * The base of a duet, where the settings ask for one: what make returns for the base's settings,
 * and `url`. `others` are settings of the scenario that it may have otherwise.
 *
 * @template {object} T
 * @param {string[]} others
 * @param {() => T} make
 * @returns {(T & { url: string }) | undefined}
 */
export function newBase(others, make) {
  return ofBase('NATS_URL', ['TIMEOUT', ...others], () => Object.assign(make(), { url: address() }));
}

const names = ['orb', 'orb-compat', 'micro'];

/** The layouts that LAYOUT asks for. */
export const layouts = (() => {
  const asked = oneOf('LAYOUT', [...names, 'all'], 'all');
  return asked === 'all' ? names : [asked];
})();

/**
 * Refuses GATES where there are several scenarios: a file of gates is for one. `how` says what
 * to set.
 */
export function oneScenario(scenarios, how) {
  if (scenarios.length > 1 && text('GATES')) {
    sweep.refuse(`GATES is for one scenario, and there are ${scenarios.length}: set ${how}`);
  }
}
