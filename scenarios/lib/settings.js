// What scenarios are told: variables from `-e NAME=value` or from the environment. A malformed
// value is an error that names the variable and what it accepts.

const sweeps = [
  'CLIENTS', 'OPS', 'DURATION', 'WARMUP', 'REPEATS', 'REPEAT_ORDER', 'PAUSE', 'QUIET', 'MAX_DURATION', 'THRESHOLDS', 'PORTABLE',
  'RESULTS',
];
const stock = ['MACHBASE_URL', 'CODE', 'DRIVER', 'REUSE', 'TIMEOUT'];
const servers = ['MEMCACHED', 'UMEM', 'REDIS', 'POGOCACHE'];
const caches = [
  'TARGET', 'TARGETS', ...servers.map((name) => `${name}_URL`), 'POGOCACHE_PROTOCOL',
  'UMEM_GENERATION', 'UMEM_THREADS', 'TIMEOUT',
];
const nats = ['NATS_URL', 'TIMEOUT'];

/** The settings of each scenario. ../README.md says what they mean. */
export const settings = {
  'stock-load': ['MACHBASE_URL', 'DRIVER', 'REUSE', 'TIMEOUT', 'BACK', 'AHEAD', 'SEED', 'TPS', 'SECONDS', 'RESET'],
  'stock-rollup': [...sweeps, ...stock],
  'stock-tick': [...sweeps, ...stock],
  'stock-union': [...sweeps, ...stock, 'UNION'],
  'stock-bench': [...sweeps, ...stock],
  'stock-append': [...sweeps, ...stock, 'ROWS', 'SEED', 'KEEP'],
  'stock-drivers': [...sweeps, ...stock.filter((name) => name !== 'DRIVER'), 'DRIVERS'],
  'stock-ramp': [...stock, 'VUS', 'RAMP', 'HOLD', 'THRESHOLDS', 'RESULTS'],
  'cache-hitrate': [
    ...caches, 'CLIENTS', 'CONFIG', 'MEMORY', 'ITEM', 'RANDOM', 'HOT', 'ACCESS', 'DATA', ...servers.map((name) => `${name}_PID`), 'VMHWM',
    'OTHER_MEMORY', 'QUIET', 'MAX_DURATION', 'THRESHOLDS', 'RESULTS',
  ],
  'cache-sweep': [...sweeps, ...caches, 'KEYS', 'DISTRIBUTION', 'VALUE', 'MIX', 'BATCH', 'PIPELINE'],
  'natsjs-kv': [...nats, 'LAYOUT', 'ROWS', 'OPS', 'TABLES', 'KEYS', 'QUIET', 'MAX_DURATION', 'THRESHOLDS', 'RESULTS'],
  'natsjs-kv-sweep': [...sweeps, ...nats, 'LAYOUT', 'MIX', 'KEYS', 'VALUE'],
  'nats-core': [...sweeps, ...nats, 'WORK', 'BATCH', 'VALUE'],
  'read-bulk': [
    ...sweeps, 'MXGW_URL', 'MXGW_KEY', 'BULK', 'TAGS', 'PROTO', 'PROTO_PATHS', 'SERVICE', 'CLIENT', 'CONNECTION', 'WAIT', 'TIMEOUT',
    'TLS', 'TLS_CA', 'TLS_CERT', 'TLS_KEY', 'TLS_SERVER_NAME', 'TLS_INSECURE',
  ],
};

/**
 * Throws when a variable is set that is no setting of the scenario, and so near to one that it is a
 * slip. A scenario of which there are several at once has a name that begins with one of those in
 * settings; of other names nothing is known.
 */
export function refuseSlips(scenario) {
  if (__VU > 0) return; // the environment is that of all VUs
  const known = settings[Object.keys(settings).filter((name) => scenario.startsWith(name)).sort((a, b) => b.length - a.length)[0]];
  if (!known) return;
  for (const name of Object.keys(__ENV)) {
    if (!given(name) || known.includes(name)) continue;
    const meant = known.find((setting) => slip(name, setting));
    if (meant) throw new Error(`${name} is not a setting of ${scenario}; did you mean ${meant}?`);
  }
}

/**
 * Whether who wrote name has meant setting: one for several or several for one, or a letter or two
 * that are wrong. Short names have neighbours that mean something else, such as OS on Windows, the
 * neighbour of OPS.
 */
function slip(name, setting) {
  if ([name.toUpperCase(), `${name}S`].includes(setting) || name === `${setting}S`) return true;
  const slips = [9, 5].filter((length) => setting.length >= length).length;
  if (Math.abs(name.length - setting.length) > slips) return false;
  // Most names are told apart by letters that the other one lacks, which costs little.
  const lacks = [...setting].reduce((n, letter) => n + (name.includes(letter) ? 0 : 1), 0);
  return lacks <= slips && distance(name, setting) <= slips;
}

/**
 * How many slips lead from one name to the other: a letter too many, too few, another one, or two
 * in the wrong order.
 */
function distance(a, b) {
  const rows = [[...b, ''].map((_, j) => j)];
  for (let i = 1; i <= a.length; i += 1) {
    rows.push([i]);
    for (let j = 1; j <= b.length; j += 1) {
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      rows[i].push(Math.min(
        rows[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1), rows[i - 1][j] + 1, rows[i][j - 1] + 1,
        swapped ? rows[i - 2][j - 2] + 1 : Infinity,
      ));
    }
  }
  return rows[a.length][b.length];
}

function refuse(name, accepts) {
  throw new Error(`${name} must be ${accepts}, but is "${__ENV[name]}"`);
}

function given(name) {
  return __ENV[name] !== undefined && __ENV[name] !== '';
}

/** A text, or fallback when the variable is not set. */
export function text(name, fallback) {
  return given(name) ? __ENV[name] : fallback;
}

/** A whole number from least to most. */
export function wholeNumber(name, fallback, least = 1, most = Number.MAX_SAFE_INTEGER) {
  if (!given(name)) return fallback;
  const n = Number(__ENV[name]);
  if (!Number.isInteger(n) || n < least || n > most) {
    refuse(name, `a whole number from ${least}${most < Number.MAX_SAFE_INTEGER ? ` to ${most}` : ''}`);
  }
  return n;
}

/** A comma-separated list of whole numbers from 1 to most. */
export function wholeNumbers(name, fallback, most) {
  if (!given(name)) return fallback;
  const list = __ENV[name].split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  if (list.some((n) => !Number.isInteger(n) || n < 1 || n > most)) {
    refuse(name, `a comma-separated list of whole numbers from 1 to ${most}, such as 1,8,64`);
  }
  return list;
}

const milliseconds = { ms: 1, s: 1000, m: 60000, h: 3600000 };

/**
 * A duration as k6 writes it: "30s", "1m30s", "500ms". At least so many milliseconds; more than
 * nothing, unless that is 0.
 */
export function duration(name, fallback, { least = undefined } = {}) {
  if (!given(name)) return fallback;
  const written = /^(\d+(\.\d+)?(ms|s|m|h))+$/.test(__ENV[name]);
  const parts = [...__ENV[name].matchAll(/([\d.]+)(ms|s|m|h)/g)];
  const long = parts.reduce((sum, [, n, unit]) => sum + Number(n) * milliseconds[unit], 0);
  if (!written || long < (least || 0) || (long === 0 && least !== 0)) {
    const bound = least ? `, at least ${least}ms` : ', more than 0';
    refuse(name, `a duration such as 30s, 1m30s or 500ms${least === 0 ? '' : bound}`);
  }
  return __ENV[name];
}

/** true or false; also 1 and 0, yes and no. */
export function flag(name, fallback) {
  if (!given(name)) return fallback;
  const value = __ENV[name].toLowerCase();
  if (['true', '1', 'yes'].includes(value)) return true;
  if (['false', '0', 'no'].includes(value)) return false;
  return refuse(name, 'true or false');
}

/** One of the values. */
export function oneOf(name, values, fallback) {
  if (!given(name)) return fallback;
  if (!values.includes(__ENV[name])) refuse(name, `one of ${values.join(', ')}`);
  return __ENV[name];
}

/** A comma-separated list of some of the values, all of them when the variable is not set. */
export function someOf(name, values) {
  if (!given(name)) return values;
  const list = __ENV[name].split(',').map((part) => part.trim());
  if (list.some((value) => !values.includes(value))) refuse(name, `a comma-separated list of some of ${values.join(', ')}`);
  return list;
}
