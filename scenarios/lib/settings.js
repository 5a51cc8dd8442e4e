// What scenarios are told: settings, from `-e NAME=value` or from SWEEP_NAME in the environment. A
// malformed value is an error that names the setting and what it accepts.
import sweep from 'k6/x/sweep';

const sweeps = [
  'CLIENTS', 'ITERATIONS', 'DURATION', 'PRECISION', 'WARMUP', 'REPEATS', 'REPEAT_ORDER', 'ORDER', 'ORDER_SEED', 'INTERVALS',
  'PAUSE', 'QUIET', 'MAX_DURATION', 'GATES', 'PORTABLE', 'RESULTS',
];
const stock = ['MACHBASE_URL', 'MACHBASE_HTTP_URL', 'CODE', 'DRIVER', 'REUSE', 'TIMEOUT'];
/** The settings of a duet's base, by the settings that say where the target is. */
const duet = (...urls) => ['BASE', 'BASE_URL', ...urls.map((url) => `BASE_${url}`)];
const servers = ['MEMCACHED', 'UMEM', 'REDIS', 'POGOCACHE'];
const caches = [
  'TARGET', 'TARGETS', ...servers.map((name) => `${name}_URL`), 'POGOCACHE_PROTOCOL',
  'UMEM_GENERATION', 'UMEM_THREADS', 'TIMEOUT',
];
const nats = ['NATS_URL', 'TIMEOUT'];

/** The settings of each scenario. ../README.md says what they mean. */
export const settings = {
  'stock-load': ['MACHBASE_URL', 'MACHBASE_HTTP_URL', 'DRIVER', 'REUSE', 'TIMEOUT', 'BACK', 'AHEAD', 'SEED', 'TPS', 'SECONDS', 'RESET'],
  'stock-rollup': [...sweeps, ...stock, 'IN_GO', ...duet('MACHBASE_URL')],
  'stock-tick': [...sweeps, ...stock, 'IN_GO', ...duet('MACHBASE_URL')],
  'stock-union': [...sweeps, ...stock, 'UNION', 'IN_GO', ...duet('MACHBASE_URL')],
  'stock-bench': [...sweeps, ...stock, ...duet('MACHBASE_URL')],
  'stock-append': [...sweeps, ...stock, 'ROWS', 'SEED', 'KEEP'],
  'stock-drivers': [...sweeps, ...stock.filter((name) => name !== 'DRIVER'), 'DRIVERS'],
  'stock-ramp': [...stock, 'VUS', 'RAMP', 'HOLD', 'GATES', 'RESULTS'],
  'cache-hitrate': [
    ...caches, 'CLIENTS', 'CONFIG', 'MEMORY', 'ITEM', 'RANDOM', 'HOT', 'ACCESS', 'DATA', ...servers.map((name) => `${name}_PID`), 'VMHWM',
    'OTHER_MEMORY', 'QUIET', 'MAX_DURATION', 'GATES', 'RESULTS',
  ],
  'cache-sweep': [...sweeps, ...caches, 'KEYS', 'DISTRIBUTION', 'VALUE', 'MIX', 'BATCH', 'PIPELINE', ...duet(...servers.map((name) => `${name}_URL`))],
  'natsjs-kv': [...nats, 'LAYOUT', 'ROWS', 'ITERATIONS', 'TABLES', 'KEYS', 'QUIET', 'MAX_DURATION', 'GATES', 'RESULTS'],
  'natsjs-kv-sweep': [...sweeps, ...nats, 'LAYOUT', 'MIX', 'KEYS', 'VALUE', ...duet('NATS_URL')],
  'nats-core': [...sweeps, ...nats, 'WORK', 'BATCH', 'VALUE', ...duet('NATS_URL')],
  'read-bulk': [
    ...sweeps, 'MXGW_URL', 'MXGW_KEY', 'BULK', 'TAGS', 'PROTO', 'PROTO_PATHS', 'SERVICE', 'CLIENT', 'CONNECTION', 'WAIT', 'TIMEOUT',
    'TLS', 'TLS_CA', 'TLS_CERT', 'TLS_KEY', 'TLS_SERVER_NAME', 'TLS_INSECURE',
  ],
};

/** Why a scenario has no duet. ../README.md says more. */
const noDuet = {
  'stock-append': 'a server still works on what was appended in the other one\'s turn',
  'stock-drivers': 'its steps are variants already: set DRIVERS',
  'stock-load': 'it measures nothing',
  'stock-ramp': 'its number of clients changes all the time',
  'cache-hitrate': 'a cache is filled in one order, and once',
  'natsjs-kv': 'it follows its published driver; natsjs-kv-sweep has one',
  'read-bulk': 'it follows its published driver',
};

// Settings of a store have its name before them, and are called so in the environment, too. All
// others are SWEEP_NAME there: shells and build servers export CONFIG, SECONDS, TLS and the like,
// and mean something else.
const stores = ['MACHBASE_', 'MEMCACHED_', 'UMEM_', 'REDIS_', 'POGOCACHE_', 'NATS_', 'MXGW_'];
const prefix = 'SWEEP_';

function ofStore(name) {
  return stores.some((store) => name.startsWith(store));
}

/** Settings that had another name, and what they are called now. */
const renamed = {
  OPS: 'ITERATIONS', THRESHOLDS: 'GATES', MEMCACHED_ADDR: 'MEMCACHED_URL', UMEM_ADDR: 'UMEM_URL', POGOCACHE_ADDR: 'POGOCACHE_URL',
  MXGW_ADDR: 'MXGW_URL',
};

/** Settings as the base of a duet has them, while that is made. */
let changed = {};

/** The value of a setting; undefined when there is none, or an empty one. */
function given(name) {
  if (name in changed) return changed[name];
  return (ofStore(name) ? sweep.setting(name, { environment: name }) : sweep.setting(name)) || undefined;
}

/** The name of a setting's variable, where its value is. */
function variable(name) {
  if (name in changed) return `${name} of BASE`;
  return __ENV[name] === given(name) ? name : prefix + name;
}

/**
 * Throws when something is set that is no setting of the scenario, and so near to one that it is a
 * slip, or an old name. A scenario of which there are several at once has a name that begins with
 * one of those in settings; of other names nothing is known.
 */
export function refuseSlips(scenario) {
  if (__VU > 0) return; // the settings are those of all VUs
  const kind = Object.keys(settings).filter((name) => scenario.startsWith(name)).sort((a, b) => b.length - a.length)[0];
  const known = settings[kind];
  if (!known) return;
  const base = noDuet[kind] && ['BASE_URL', 'BASE'].find((name) => given(name));
  if (base) throw new Error(`${variable(base)} asks for a duet, which ${kind} has none of: ${noDuet[kind]}; k6 x sweep ab compares whole runs`);
  for (const name of Object.keys(__ENV)) {
    const short = name.startsWith(prefix) ? name.slice(prefix.length) : name;
    const usable = name === short || !ofStore(short); // a store's has no prefix but its own
    if (__ENV[name] === '' || (name === short && !given(name)) || (usable && known.includes(short))) continue;
    const full = (setting) => (name === short || ofStore(setting) ? setting : prefix + setting);
    if (known.includes(renamed[short])) throw new Error(`${name} is not a setting of ${scenario}: use ${full(renamed[short])}`);
    const meant = known.find((setting) => short === setting || slip(short, setting));
    if (meant) throw new Error(`${name} is not a setting of ${scenario}; did you mean ${full(meant)}?`);
  }
}

/**
 * Whether who wrote name has meant setting: one for several or several for one, or a letter or two
 * that are wrong. In a short name every letter counts: with another one it is another word.
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

/**
 * The base of a duet: what make returns with the base's settings; undefined where none is asked
 * for. BASE_URL, or BASE_ and the setting's name, is the address of its server; BASE has others,
 * such as DRIVER=machgo,REUSE=true.
 *
 * @template T
 * @param {string} address the setting that says where the target is
 * @param {string[]} others settings that the base may have otherwise
 * @param {() => T} make
 * @returns {T | undefined}
 */
export function ofBase(address, others, make) {
  const own = {};
  const url = text('BASE_URL');
  const named = text(`BASE_${address}`);
  if (url && named) throw new Error(`BASE_URL and BASE_${address} exclude each other: set one of them`);
  if (url || named) own[address] = url || named;
  for (const setting of (text('BASE') || '').split(/,(?=[A-Z_]+=)/).filter((part) => part !== '')) {
    const [, name, value] = setting.match(/^([A-Z_]+)=(.+)$/) || [];
    if (!others.includes(name)) {
      throw new Error(`${variable('BASE')} must be settings with commas between them, such as ${others[0]}=value, of ${others.join(', ')}, `
        + `but is "${text('BASE')}"`);
    }
    own[name] = value;
  }
  if (Object.keys(own).length === 0) return undefined;
  changed = own;
  try {
    return make();
  } finally {
    changed = {};
  }
}

function refuse(name, accepts) {
  throw new Error(`${variable(name)} must be ${accepts}, but is "${given(name)}"`);
}

/** A text, or fallback when the setting is not given. */
export function text(name, fallback) {
  return given(name) || fallback;
}

/** An integer from least to most. */
export function wholeNumber(name, fallback, least = 1, most = Number.MAX_SAFE_INTEGER) {
  const value = given(name);
  if (value === undefined) return fallback;
  const n = Number(value);
  if (!Number.isInteger(n) || n < least || n > most) {
    refuse(name, `an integer from ${least}${most < Number.MAX_SAFE_INTEGER ? ` to ${most}` : ''}`);
  }
  return n;
}

/** A comma-separated list of integers from 1 to most. */
export function wholeNumbers(name, fallback, most) {
  const value = given(name);
  if (value === undefined) return fallback;
  const list = value.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  if (list.some((n) => !Number.isInteger(n) || n < 1 || n > most)) {
    refuse(name, `a comma-separated list of integers from 1 to ${most}, such as 1,8,64`);
  }
  return list;
}

const milliseconds = { ms: 1, s: 1000, m: 60000, h: 3600000 };

/**
 * A duration as k6 writes it: "30s", "1m30s", "500ms". At least so many milliseconds; more than
 * nothing, unless that is 0.
 */
export function duration(name, fallback, { least = undefined } = {}) {
  const value = given(name);
  if (value === undefined) return fallback;
  const written = /^(\d+(\.\d+)?(ms|s|m|h))+$/.test(value);
  const parts = [...value.matchAll(/([\d.]+)(ms|s|m|h)/g)];
  const long = parts.reduce((sum, [, n, unit]) => sum + Number(n) * milliseconds[unit], 0);
  if (!written || long < (least || 0) || (long === 0 && least !== 0)) {
    const bound = least ? `, at least ${least}ms` : ', more than 0';
    refuse(name, `a duration such as 30s, 1m30s or 500ms${least === 0 ? '' : bound}`);
  }
  return value;
}

/** true or false; also 1 and 0, yes and no. */
export function flag(name, fallback) {
  const value = given(name);
  if (value === undefined) return fallback;
  if (['true', '1', 'yes'].includes(value.toLowerCase())) return true;
  if (['false', '0', 'no'].includes(value.toLowerCase())) return false;
  return refuse(name, 'true or false');
}

/** One of the values. */
export function oneOf(name, values, fallback) {
  const value = given(name);
  if (value === undefined) return fallback;
  if (!values.includes(value)) refuse(name, `one of ${values.join(', ')}`);
  return value;
}

/** A comma-separated list of some of the values; `usual` when the setting is not given. */
export function someOf(name, values, usual = values) {
  const value = given(name);
  if (value === undefined) return usual;
  const list = value.split(',').map((part) => part.trim());
  if (list.some((part) => !values.includes(part))) refuse(name, `a comma-separated list of some of ${values.join(', ')}`);
  return list;
}
