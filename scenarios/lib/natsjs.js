// The tables of the published benchmark of key-value stores on NATS JetStream, go-orb and go-micro.

const pairs = ['Set', 'SetGet', 'Get', 'List', 'ListPagination', 'SetLarge', 'GetLarge', 'SetGetLarge', 'DeleteLarge'];

/** Unfair comparisons, and their notes. */
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
  const measured = rows.map((row) => ({ ...row, step: steps.find(({ op, ops }) => op === row.name && ops > 0) }));
  const lines = pairs.flatMap((pair) => ratiosOf(pair, measured.filter((row) => row.pair === pair && row.step)));
  return [{
    title: 'The published columns',
    columns: [
      { name: 'row' }, { name: 'iterations' }, { name: 'ns/op', better: 'lower', digits: 0 }, { name: 'moved', unit: 'B/op', digits: 0 },
      { name: 'failed' }, { name: 'published', unit: 'ns/op', digits: 0 },
    ],
    rows: measured.map(({ name, published, step }) => {
      const { ops, failed } = steps.find(({ op }) => op === name) || { ops: 0, failed: 0 };
      return [name, ops, step && nanoseconds(step), step && (step.bytesSent + step.bytesReceived) / step.ops, failed, published && published.nanoseconds];
    }),
    notes: ['ns/op is the mean of successful operations; moved B/op counts both directions of the connection. The published rows '
      + 'also have the allocations of a process with both client and server, which k6 cannot see.'],
  }, ...(lines.length === 0 ? [] : [{
    title: 'ns/op of micro divided by ns/op of orb',
    columns: [
      { name: 'pair' }, { name: 'compared' }, { name: 'form' }, { name: 'ratio', digits: 2 }, { name: 'for each key', digits: 2 },
      { name: 'published', digits: 2 },
    ],
    rows: lines,
    notes: ['Above 1, orb is faster.', ...Object.keys(unlike).filter((pair) => lines.some(([name]) => name === pair)).map((pair) => `${pair}, as published: ${unlike[pair]}`)],
  }])];
}

/** Returns the ratios of a pair; those of lists as published, and like for like. */
function ratiosOf(pair, rows) {
  const lists = pair.startsWith('List');
  const of = (layout, fair) => rows.find((row) => row.layout === layout && (layout !== 'micro' || !lists || fair === !row.published));
  const compared = lists ? [['orb', 'as published', false], ['orb', 'like for like', true]]
    : [['orb', '', false], ['orb-compat', '', false]]; // orb-compat's tables share their keys: do not compare its lists
  return compared.map(([layout, form, fair]) => ratio(pair, form, of(layout), of('micro', fair))).filter(Boolean);
}

function ratio(pair, form, one, other) {
  if (!one || !other) return undefined;
  const [a, b] = [one.step, other.step];
  const perKey = a.rows > 0 && b.rows > 0 ? (nanoseconds(b) / (b.rows / b.ops)) / (nanoseconds(a) / (a.rows / a.ops)) : null;
  const published = one.published && other.published ? other.published.nanoseconds / one.published.nanoseconds : null;
  return [pair, `${other.name} / ${one.name}`, form, nanoseconds(b) / nanoseconds(a), perKey, published];
}
