// Reads the settings of scenarios, from `-e NAME=value` or from SWEEP_NAME in the environment. An
// invalid value is an error that names the setting and the accepted values.
import sweep from 'k6/x/sweep';

// Settings of a store begin with its name, also in the environment. All others are SWEEP_NAME
// there, because shells and build servers export CONFIG, SECONDS, TLS and others with another
// meaning.
const stores = ['MACHBASE_', 'MEMCACHED_', 'UMEM_', 'REDIS_', 'POGOCACHE_', 'NATS_', 'MXGW_', 'POSTGRES_', 'SQLITE_'];
/** The prefix in the environment for settings that belong to no store. */
export const prefix = 'SWEEP_';

/** Reports whether a setting's name begins with that of a store. */
export function ofStore(name) {
  return stores.some((store) => name.startsWith(store));
}

/** The settings of a duet's base, while the base is created. */
let changed = {};

/** Returns the value of a setting; undefined if it is not set or empty. */
export function given(name) {
  if (name in changed) return changed[name];
  return (ofStore(name) ? sweep.setting(name, { environment: name }) : sweep.setting(name)) || undefined;
}

/** Returns the name of the variable that sets a setting. */
export function variable(name) {
  if (name in changed) return `${name} of BASE`;
  return __ENV[name] === given(name) ? name : prefix + name;
}

/**
 * Ends k6 if a name is set that is no setting of the scenario. Only the first VU checks this, and
 * loads the code for it.
 */
export function refuseSlips(scenario) {
  const slip = __VU === 0 && require('./slips.js').slipOf(scenario);
  if (slip) sweep.refuse(slip);
}

/**
 * Returns the base of a duet: the result of make with the settings of the base; undefined without a
 * base. BASE_URL, or BASE_ and the name of the setting, is the address of its server; BASE has
 * other settings, such as DRIVER=machgo,REUSE=true.
 *
 * @template T
 * @param {string} address the setting with the address of the target
 * @param {string[]} others settings that may differ in the base
 * @param {() => T} make
 * @returns {T | undefined}
 */
export function ofBase(address, others, make) {
  const own = {};
  const url = text('BASE_URL');
  const named = text(`BASE_${address}`);
  if (url && named) sweep.refuse(`BASE_URL and BASE_${address} exclude each other: set one of them`);
  if (url || named) own[address] = url || named;
  if (text('BASE')) readBase(others, own);
  if (Object.keys(own).length === 0) return undefined;
  changed = own;
  try {
    return make();
  } finally {
    changed = {};
  }
}

/** Reads BASE: settings of the base other than the address. */
function readBase(others, own) {
  for (const setting of text('BASE').split(/,(?=[A-Z_]+=)/).filter((part) => part !== '')) {
    const [, name, value] = setting.match(/^([A-Z_]+)=(.+)$/) || [];
    if (!others.includes(name)) {
      sweep.refuse(`${variable('BASE')} must be settings with commas between them, such as ${others[0]}=value, of ${others.join(', ')}, `
        + `but is "${text('BASE')}"`);
    }
    own[name] = value;
  }
}

function refuse(name, accepts) {
  return sweep.refuse(`${variable(name)} must be ${accepts}, but is "${given(name)}"`);
}

/** Returns a text, or fallback if the setting is not given. */
export function text(name, fallback) {
  return given(name) || fallback;
}

/** Returns an integer from least to most. */
export function wholeNumber(name, fallback, least = 1, most = Number.MAX_SAFE_INTEGER) {
  const value = given(name);
  if (value === undefined) return fallback;
  const n = Number(value);
  if (!Number.isInteger(n) || n < least || n > most) {
    refuse(name, `an integer from ${least}${most < Number.MAX_SAFE_INTEGER ? ` to ${most}` : ''}`);
  }
  return n;
}

/** Whether REDIS_URL names servers of a Redis Cluster; REDIS_CLUSTER is their number. */
export function redisCluster() {
  return wholeNumber('REDIS_CLUSTER', 1) > 1;
}

/** A number from 0, such as 0.25. */
export function number(name, fallback) {
  const value = given(name);
  if (value === undefined) return fallback;
  if (!(Number(value) >= 0)) refuse(name, 'a number from 0');
  return Number(value);
}

const units = { '': 1, B: 1, KB: 1e3, MB: 1e6, GB: 1e9, KIB: 2 ** 10, MIB: 2 ** 20, GIB: 2 ** 30 };

/** Returns a number of bytes from least to most: 100, 1KB (1,000) or 1KiB (1,024). */
export function bytes(name, fallback, least = 1, most = Number.MAX_SAFE_INTEGER) {
  const value = given(name);
  if (value === undefined) return fallback;
  const [, amount, unit] = value.match(/^(\d+(?:\.\d+)?) ?([A-Za-z]*)$/) || [];
  const size = Number(amount) * units[(unit || '').toUpperCase()];
  if (!Number.isInteger(size) || size < least || size > most) {
    refuse(name, `a size such as 100, 1KB or 1MiB, at least ${least}${most < Number.MAX_SAFE_INTEGER ? ` and at most ${most}` : ''}`);
  }
  return size;
}

/** Returns a comma-separated list of integers from 1 to most. */
export function wholeNumbers(name, fallback, most) {
  const value = given(name);
  if (value === undefined) return fallback;
  const list = value.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  if (list.some((n) => !Number.isInteger(n) || n < 1 || n > most)) {
    refuse(name, `a comma-separated list of integers from 1 to ${most}, such as 1,8,64`);
  }
  return list;
}

/**
 * Returns a duration in k6's notation: "30s", "1m30s", "500ms". It has to be at least `least`
 * milliseconds, and more than 0 unless least is 0. The first VU checks it for all.
 */
export function duration(name, fallback, { least = undefined } = {}) {
  const value = given(name);
  if (value === undefined) return fallback;
  if (__VU > 0) return value;
  const written = /^(\d+(\.\d+)?(ms|s|m|h))+$/.test(value);
  const parts = [...value.matchAll(/([\d.]+)(ms|s|m|h)/g)];
  const milliseconds = { ms: 1, s: 1000, m: 60000, h: 3600000 };
  const long = parts.reduce((sum, [, n, unit]) => sum + Number(n) * milliseconds[unit], 0);
  if (!written || long < (least || 0) || (long === 0 && least !== 0)) {
    const bound = least ? `, at least ${least}ms` : ', more than 0';
    refuse(name, `a duration such as 30s, 1m30s or 500ms${least === 0 ? '' : bound}`);
  }
  return value;
}

/** Returns true or false; accepts also 1 and 0, yes and no. */
export function flag(name, fallback) {
  const value = given(name);
  if (value === undefined) return fallback;
  if (['true', '1', 'yes'].includes(value.toLowerCase())) return true;
  if (['false', '0', 'no'].includes(value.toLowerCase())) return false;
  return refuse(name, 'true or false');
}

/** Returns one of the values. */
export function oneOf(name, values, fallback) {
  const value = given(name);
  if (value === undefined) return fallback;
  if (!values.includes(value)) refuse(name, `one of ${values.join(', ')}`);
  return value;
}

/** Returns a comma-separated list of some of the values; `usual` if the setting is not given. */
export function someOf(name, values, usual = values) {
  const value = given(name);
  if (value === undefined) return usual;
  const list = value.split(',').map((part) => part.trim());
  if (list.some((part) => !values.includes(part))) refuse(name, `a comma-separated list of some of ${values.join(', ')}`);
  return list;
}

/**
 * Returns shares of some of the values, such as get:91,set:9, as { get: 91, set: 9 }. The first VU
 * checks them for all.
 */
export function shares(name, values, fallback) {
  const all = {};
  text(name, fallback).split(',').forEach((part) => {
    const at = part.indexOf(':');
    const value = part.slice(0, at).trim();
    const share = part.slice(at + 1).trim();
    if (__VU === 0 && !(values.includes(value) && /^\d+(\.\d+)?$/.test(share))) {
      refuse(name, `shares of ${values.slice(0, -1).join(', ')} and ${values.at(-1)}, such as ${fallback}`);
    }
    all[value] = Number(share);
  });
  return all;
}
