// The tables of the published benchmark of key-value stores on NATS JetStream, go-orb and go-micro.

const pairs = ['Set', 'SetGet', 'Get', 'List', 'ListPagination', 'SetLarge', 'GetLarge', 'SetGetLarge', 'DeleteLarge'];

// Unfair comparisons, and their notes.
const unlike = {
  List: 'go-orb lists one table, go-micro all tables. (The authors state 74.7x; their figures give 74.3x.)',
  ListPagination: 'go-orb pages through one table of many, go-micro through a database with only as many keys as one table. (The '
    + 'authors call both comparable.)',
};

const nanoseconds = (step) => step.latencyMs.mean * 1e6;

/**
 * Returns the published columns of each row, and the ratios of go-micro to go-orb for pairs.
 *
 * @param {any[]} rows  natsjsRows that were run
 * @param {any[]} steps of the report, one for each row
 * @returns {import('k6/x/sweep').Table[]}
 */
export function tables(rows, steps) {
  const measured = {};
  for (const row of rows) {
    const step = steps.find(({ op, ops }) => op === row.name && ops > 0);
    if (step) measured[row.name] = { row, step };
  }
  return [publishedColumns(rows, steps, measured), ...ratios(rows, measured)];
}

/** @returns {import('k6/x/sweep').Table} */
function publishedColumns(rows, steps, measured) {
  return {
    title: 'The published columns',
    columns: [
      { name: 'row' }, { name: 'iterations' }, { name: 'ns/op', better: 'lower', digits: 0 }, { name: 'moved', unit: 'B/op', digits: 0 },
      { name: 'failed' }, { name: 'published', unit: 'ns/op', digits: 0 },
    ],
    rows: rows.map(({ name, published }) => {
      const { ops, failed } = steps.find(({ op }) => op === name) || { ops: 0, failed: 0 };
      const { step } = measured[name] || {};
      return [
        name, ops, step && nanoseconds(step), step && (step.bytesSent + step.bytesReceived) / step.ops, failed,
        published && published.nanoseconds,
      ];
    }),
    notes: ['ns/op is the mean of successful operations; moved B/op counts both directions of the connection. The published rows '
      + 'also have the allocations of a process with both client and server, which k6 cannot see.'],
  };
}

function ratios(rows, measured) {
  const lines = pairs.flatMap((pair) => linesOf(pair, rows.filter((row) => row.pair === pair), measured));
  if (lines.length === 0) return [];
  const told = Object.entries(unlike).filter(([pair]) => lines.some(([name]) => name === pair));
  return [{
    title: 'ns/op of micro divided by ns/op of orb',
    columns: [
      { name: 'pair' }, { name: 'compared' }, { name: 'form' }, { name: 'ratio', digits: 2 }, { name: 'for each key', digits: 2 },
      { name: 'published', digits: 2 },
    ],
    rows: lines,
    notes: ['Above 1, orb is faster.', ...told.map(([pair, why]) => `${pair}, as published: ${why}`)],
  }];
}

function linesOf(pair, rows, measured) {
  const of = (layout, fair) => rows.find((row) => row.layout === layout && (layout !== 'micro' || !pair.startsWith('List') || fair === !row.published));
  const found = pair.startsWith('List') ? [
    ratio(pair, 'as published', of('orb'), of('micro', false), measured),
    ratio(pair, 'like for like', of('orb'), of('micro', true), measured),
  ] : [ // orb-compat's tables share their keys: do not compare its lists
    ratio(pair, '', of('orb'), of('micro'), measured),
    ratio(pair, '', of('orb-compat'), of('micro'), measured),
  ];
  return found.filter((line) => line !== null);
}

function ratio(pair, form, one, other, measured) {
  if (!one || !other || !measured[one.name] || !measured[other.name]) return null;
  const [a, b] = [measured[one.name].step, measured[other.name].step];
  const perKey = a.rows > 0 && b.rows > 0 ? (nanoseconds(b) / (b.rows / b.ops)) / (nanoseconds(a) / (a.rows / a.ops)) : null;
  const published = one.published && other.published ? other.published.nanoseconds / one.published.nanoseconds : null;
  return [pair, `${other.name} / ${one.name}`, form, nanoseconds(b) / nanoseconds(a), perKey, published];
}
