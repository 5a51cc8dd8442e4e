// The settings of each scenario, and the errors for others. Only the first VU loads this file: see
// refuseSlips in settings.js.
import { given, ofStore, prefix, variable } from './settings.js';

const sweeps = [
  'CLIENTS', 'ITERATIONS', 'DURATION', 'PRECISION', 'WARMUP', 'REPEATS', 'REPEAT_ORDER', 'ORDER', 'ORDER_SEED', 'INTERVALS',
  'PAUSE', 'QUIET', 'MAX_DURATION', 'GATES', 'PORTABLE', 'RESULTS', 'RATE', 'FIND', 'GATE', 'WAIT_CALM', 'BASE_NAME', 'CHANGE_NAME',
];
const stock = ['MACHBASE_URL', 'CODE', 'DRIVER', 'REUSE', 'TIMEOUT'];
/** The settings of a duet's base, for the settings with the address of the target. */
const duet = (...urls) => ['BASE', 'BASE_URL', ...urls.map((url) => `BASE_${url}`)];
const servers = ['MEMCACHED', 'UMEM', 'REDIS', 'POGOCACHE'];
const caches = [
  'TARGET', 'TARGETS', ...servers.map((name) => `${name}_URL`), 'POGOCACHE_PROTOCOL',
  'UMEM_GENERATION', 'UMEM_THREADS', 'TIMEOUT',
];
/** The addresses of the stores with records. */
const stores = ['REDIS_URL', 'MEMCACHED_URL', 'UMEM_URL', 'NATS_URL', 'POSTGRES_URL', 'SQLITE_URL', 'MACHBASE_URL'];
/** Properties of YCSB's workloads. */
const records = [
  'RECORD_COUNT', 'OPERATION_COUNT', 'INSERT_ORDER', 'ZERO_PADDING', 'FIELD_COUNT', 'FIELD_LENGTH', 'MIN_FIELD_LENGTH',
  'FIELD_LENGTH_DISTRIBUTION', 'READ_ALL_FIELDS', 'WRITE_ALL_FIELDS', 'DATA_INTEGRITY', 'REQUEST_DISTRIBUTION', 'HOTSPOT_DATA_FRACTION',
  'HOTSPOT_OPN_FRACTION', 'EXPONENTIAL_PERCENTILE', 'EXPONENTIAL_FRAC', 'MIN_SCAN_LENGTH', 'MAX_SCAN_LENGTH', 'SCAN_LENGTH_DISTRIBUTION', 'SEED',
];
const nats = ['NATS_URL', 'TIMEOUT'];

/** The settings of each scenario. ../README.md describes them. */
export const settings = {
  'stock-load': ['MACHBASE_URL', 'DRIVER', 'REUSE', 'TIMEOUT', 'BACK', 'AHEAD', 'SEED', 'TPS', 'SECONDS', 'RESET'],
  'stock-rollup': [...sweeps, ...stock, 'IN_GO', ...duet('MACHBASE_URL')],
  'stock-rollup-http': [...sweeps, 'MACHBASE_HTTP_URL', 'CODE', 'TIMEOUT'],
  'stock-tick': [...sweeps, ...stock, 'IN_GO', ...duet('MACHBASE_URL')],
  'stock-union': [...sweeps, ...stock, 'UNION', 'IN_GO', ...duet('MACHBASE_URL')],
  'stock-bench': [...sweeps, ...stock, ...duet('MACHBASE_URL')],
  'stock-append': [...sweeps, ...stock, 'ROWS', 'SEED', 'KEEP'],
  'stock-drivers': [...sweeps, ...stock.filter((name) => name !== 'DRIVER'), 'DRIVERS'],
  'stock-ramp': [...stock, 'VUS', 'RAMP', 'HOLD', 'RESULTS'],
  'cache-hitrate': [
    ...caches, 'CLIENTS', 'CONFIG', 'MEMORY', 'ITEM', 'RANDOM', 'HOT', 'ACCESS', 'DATA', ...servers.map((name) => `${name}_PID`), 'VMHWM',
    'OTHER_MEMORY', 'QUIET', 'MAX_DURATION', 'GATES', 'RESULTS',
  ],
  'cache-sweep': [...sweeps, ...caches, 'KEYS', 'DISTRIBUTION', 'VALUE', 'MIX', 'BATCH', 'PIPELINE', 'ALLOW_MISSES', 'REDIS_CLUSTER',
    ...duet(...servers.map((name) => `${name}_URL`))],
  'natsjs-kv': [...nats, 'LAYOUT', 'ROWS', 'ITERATIONS', 'TABLES', 'KEYS', 'QUIET', 'MAX_DURATION', 'GATES', 'RESULTS'],
  'natsjs-kv-sweep': [...sweeps, ...nats, 'LAYOUT', 'MIX', 'KEYS', 'VALUE', ...duet('NATS_URL')],
  postgres: [...sweeps, 'POSTGRES_URL', 'TIMEOUT', 'ROWS', 'VALUE', 'MIX', ...duet('POSTGRES_URL')],
  ycsb: [
    ...sweeps, 'STORE', 'TARGETS', 'WORKLOAD', 'MIX', 'PHASE', 'LOAD_CLIENTS', ...records, ...stores, 'REDIS_CLUSTER', 'UMEM_GENERATION', 'UMEM_THREADS', 'TIMEOUT',
    ...duet(...stores),
  ],
  'nats-core': [...sweeps, ...nats, 'WORK', 'BATCH', 'VALUE', ...duet('NATS_URL')],
  'read-bulk': [
    ...sweeps, 'MXGW_URL', 'MXGW_KEY', 'BULK', 'TAGS', 'PROTO', 'PROTO_PATHS', 'SERVICE', 'CLIENT', 'CONNECTION', 'WAIT', 'TIMEOUT',
    'TLS', 'TLS_CA', 'TLS_CERT', 'TLS_KEY', 'TLS_SERVER_NAME', 'TLS_INSECURE',
  ],
};

/** The settings of all scenarios. */
const all = Object.values(settings).flat();

/** Why a scenario has no duet. ../README.md has the details. */
const noDuet = {
  'stock-append': 'the server is still busy with appended rows in the other variant\'s slice',
  'stock-drivers': 'its steps are variants already: set DRIVERS',
  'stock-rollup-http': 'stock-rollup has one',
  'stock-load': 'it measures nothing',
  'stock-ramp': 'its number of clients always changes',
  'cache-hitrate': 'a cache is filled once, in one order',
  'natsjs-kv': 'it follows its published driver; natsjs-kv-sweep has one',
  'read-bulk': 'it follows its published driver',
};

/**
 * Returns an error if a name is set that is no setting of the scenario: with -e, as SWEEP_NAME, or
 * as a name of a store that looks like a misspelt setting. The name of the scenario may have a
 * suffix if several run at once. Unknown scenarios are not checked.
 *
 * @returns {string | undefined}
 */
export function slipOf(scenario) {
  const kind = Object.keys(settings).filter((name) => scenario.startsWith(name)).sort((a, b) => b.length - a.length)[0];
  const known = settings[kind];
  if (!known) return undefined;
  const base = noDuet[kind] && ['BASE_URL', 'BASE'].find((name) => given(name));
  if (base) return `${variable(base)} asks for a duet, but ${kind} has none: ${noDuet[kind]}; k6 x sweep ab compares complete runs`;
  for (const name of Object.keys(__ENV)) {
    const short = name.startsWith(prefix) ? name.slice(prefix.length) : name;
    const usable = name === short || !ofStore(short); // settings of a store have no prefix
    const exported = name === short && (!given(name) || __ENV[name] === __ENV[prefix + name]); // make exports both
    if (__ENV[name] === '' || exported || (usable && known.includes(short))) continue;
    const full = (setting) => (name === short || ofStore(setting) ? setting : prefix + setting);
    const meant = known.find((setting) => short === setting || slip(short, setting));
    if (meant) return `${name} is not a setting of ${scenario}; did you mean ${full(meant)}?`;
    if (all.includes(short) && name === short && !ofStore(short)) return `${name} is not a setting of ${scenario}, which has ${known.join(', ')}`;
  }
  return undefined;
}

/**
 * Reports whether name is probably a misspelling of setting: singular for plural, or a letter or
 * two wrong. Short names have to match exactly.
 */
function slip(name, setting) {
  if ([name.toUpperCase(), `${name}S`].includes(setting) || name === `${setting}S`) return true;
  const slips = [9, 5].filter((length) => setting.length >= length).length;
  if (Math.abs(name.length - setting.length) > slips) return false;
  // Comparing the sets of letters first is cheap, and rules out most names.
  const lacks = [...setting].reduce((n, letter) => n + (name.includes(letter) ? 0 : 1), 0);
  return lacks <= slips && distance(name, setting) <= slips;
}

/** Returns the edit distance of two names: letters added, removed, replaced or swapped. */
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
