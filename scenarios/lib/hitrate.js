// The published hit-rate benchmark: its configurations, results and table. Source:
// imchuncai/umem-cache-benchmark at 17218b3, results BENCHMARK-2G-513K and BENCHMARK-100M-512B: two
// Raspberry Pi 4B with 1 Gbit/s between them.
import sweep from 'k6/x/sweep';
import { isNear } from './memory.js';
import { bytes, flag, oneOf, text, wholeNumber } from './settings.js';

const mib = 1024 * 1024;

const published = {
  '2g-513k': {
    config: { memory: 2048 * mib, item: 513 * 1024, random: false },
    hotAccesses: 52259,
    rows: {
      memcached: [70.88, 86.33, 2109744, 70.46, 213.891, 215, 869],
      umem: [68.12, 82.64, 2097124, 68.12, 207.229, 215, 862],
      redis: [56.41, 68.74, 1709896, 56.41, 173.986, 212, 850],
      pogocache: [71.44, 84.18, 3038480, 49.31, 213.987, 151, 875],
    },
  },
  '100m-512b': {
    config: { memory: 100 * mib, item: 512, random: false },
    hotAccesses: 2621158,
    rows: {
      memcached: [63.77, 77.92, 106500, 61.32, 80.655, 24910],
      umem: [62.04, 75.46, 103700, 61.26, 77.674, 25846],
      redis: [58.68, 71.34, 120800, 49.74, 108.226, 15060], // two instances
      pogocache: [51.97, 63.03, 103744, 51.3, 132.189, 12714],
    },
  },
  'random-2g-1m': { config: { memory: 2048 * mib, item: mib, random: true }, hotAccesses: 52582, rows: {} },
  'random-100m-1k': { config: { memory: 100 * mib, item: 1024, random: true }, hotAccesses: 2621031, rows: {} },
};

const own = ['MEMORY', 'ITEM', 'RANDOM', 'HOT', 'ACCESS', 'DATA'];

/**
 * The name of the requested published configuration; undefined if settings describe another one.
 */
export const name = (() => {
  const given = own.filter((variable) => text(variable) !== undefined);
  if (given.length === 0) return oneOf('CONFIG', Object.keys(published), '2g-513k');
  if (text('CONFIG')) sweep.refuse(`CONFIG and ${given[0]} exclude each other: set one of them`);
  if (!text('MEMORY') || !text('ITEM')) sweep.refuse('MEMORY and ITEM must both be set');
  return undefined;
})();

/** The configuration: bytes and integer percentages. */
export const config = name ? { ...published[name].config, hot: 20, access: 80, hotMemory: 80 } : {
  memory: bytes('MEMORY'),
  item: bytes('ITEM', undefined, 12),
  random: flag('RANDOM', false),
  hot: wholeNumber('HOT', 20, 1, 99),
  access: wholeNumber('ACCESS', 80, 0, 100),
  hotMemory: wholeNumber('DATA', 80, 1, 1000),
};

/** Average size of an item, key and value, as the benchmark computes it. */
export const averageItem = config.random ? Math.floor(config.item / 2) : config.item;

/** Accesses of a pass, as published. */
export const accesses = Math.floor(
  Math.floor(((config.random ? 8 : 4) * config.memory * config.hotMemory) / config.hot) / config.item,
);

/** Hot accesses of a complete timed pass; known only for published configurations. */
export const checkFigure = name && published[name].hotAccesses;

const kib = (bytes) => (bytes === undefined ? undefined : Math.round(bytes / 1024));

/** @type {import('k6/x/sweep').Table['columns']} */
const columns = [
  { name: 'hit_rate', unit: '%', better: 'higher', digits: 2 },
  { name: 'hot hit_rate', unit: '%', better: 'higher', digits: 2 },
  { name: 'VmHWM', unit: 'kB', better: 'lower', digits: 0 },
  { name: 'per_memory_hit_rate', unit: '%', better: 'higher', digits: 2 },
  { name: 'seconds', better: 'lower', digits: 3 },
  { name: 'hit/s/mem', better: 'higher', digits: 0 },
  { name: 'out', unit: 'Mib/s', better: 'higher', digits: 0 },
];

function measuredRow({ seconds, extra }) {
  return [
    extra.hitRate, extra.hotHitRate, kib(extra.vmHwmBytes), extra.perMemoryHitRate, seconds, extra.hitsPerSecondMem,
    extra.outMibPerSecond,
  ];
}

/**
 * Returns the published columns for all servers, each with its published row, and notes.
 *
 * @param {{ target: string, report: any }[]} measured report of each server
 * @returns {import('k6/x/sweep').Table}
 */
export function table(measured) {
  const rows = [];
  const notes = [];
  for (const { target, report } of measured) {
    for (const step of report.steps) {
      rows.push([target, ...measuredRow(step)]);
      notes.push(...notesOf(target, report, step));
    }
    const row = name && published[name].rows[target];
    if (row) rows.push([`${target}, published`, ...columns.map((_, i) => row[i])]);
  }
  const what = name || `memory ${config.memory}, item ${config.item}${config.random ? ', random' : ''}`;
  return { title: `Hit rate, ${what}: ${accesses} accesses per pass`, columns: [{ name: 'server' }, ...columns], rows, notes };
}

function notesOf(target, report, { complete, extra }) {
  const notes = memoryNotes(target, report);
  if (extra.vmHwmBytes === undefined) {
    notes.push(`${target}: VmHWM is unknown, so figures with it are missing: set ${target.toUpperCase()}_PID for a server on this machine, `
      + 'or VMHWM=bytes for another one.');
  } else if (extra.vmHwmSince && Date.parse(extra.vmHwmSince) < Date.parse(report.started) - 1000) { // Linux clocks have a resolution of 10 ms
    notes.push(`${target}: VmHWM counts since the server's start at ${extra.vmHwmSince}, not since the start of the run: only the `
      + "server's user can reset it.");
  }
  if (!complete) notes.push(`${target}: the timed pass is not complete.`);
  else if (checkFigure && extra.hot !== checkFigure) {
    notes.push(`${target}: WRONG CHECK FIGURE: ${extra.hot} hot accesses instead of the published ${checkFigure}.`);
  }
  return notes;
}

// Returns notes about the memory of a server.
function memoryNotes(target, report) {
  const { memoryLimit: limit, evicts } = report.target;
  if (limit === undefined) return [`${target}: the server does not tell its memory limit; that it is ${config.memory} bytes is not verified.`];
  if (limit === 0) return [`${target}: THE SERVER HAS NO MEMORY LIMIT, but the benchmark needs ${config.memory} bytes.`];
  const notes = [];
  if (!isNear(limit, config.memory)) notes.push(`${target}: THE SERVER HAS ${limit} BYTES, but the benchmark needs ${config.memory}.`);
  if (!evicts) notes.push(`${target}: THE SERVER DOES NOT EVICT keys of the benchmark.`);
  return notes;
}
