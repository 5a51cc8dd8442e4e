// Common code of the NATS scenarios: the server and the record layouts.
import nats from 'k6/x/nats';
import sweep from 'k6/x/sweep';
import { duration, oneOf, ofBase, text } from './settings.js';

const address = () => text('NATS_URL', 'nats://127.0.0.1:4222');

/** Returns a client for the settings, with more options. */
export function newClient(options = {}) {
  return new nats.Client(address(), { timeout: duration('TIMEOUT', '60s'), ...options });
}

/** Describes the target for the report. url is the server's, if the settings do not have it. */
export function target(client, url = address()) {
  const { version } = client.info();
  return { kind: 'nats', version: `v${version}`, url: url.split(',')[0] };
}

/**
 * Returns the base of a duet, or undefined: the result of make with the settings of the base, and
 * `url`. `others` are settings of the scenario that may differ in the base.
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

/** The layouts in LAYOUT. */
export const layouts = (() => {
  const asked = oneOf('LAYOUT', [...names, 'all'], 'all');
  return asked === 'all' ? names : [asked];
})();

/**
 * Refuses GATES for several scenarios: a gate file is for one. `how` names the setting that selects
 * one.
 */
export function oneScenario(scenarios, how) {
  if (scenarios.length > 1 && text('GATES')) {
    sweep.refuse(`GATES is for one scenario, and there are ${scenarios.length}: set ${how}`);
  }
}
