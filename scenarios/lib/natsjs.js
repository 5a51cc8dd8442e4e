// The table of the published benchmark of key-value stores on NATS JetStream: go-orb's against go-micro's.

const pairs = ['Set', 'SetGet', 'Get', 'List', 'ListPagination', 'SetLarge', 'GetLarge', 'SetGetLarge', 'DeleteLarge'];

// What does not compare like with like, and what there is to be said of it.
const unlike = {
  List: 'go-orb lists one table, go-micro all of them. (The authors say 74.7x; the figures that they print make 74.3x.)',
  ListPagination: 'go-orb pages through one table of many, go-micro through a database that has no more keys than one table. (The '
    + 'authors say that both are comparable.)',
};

const nanoseconds = (step) => step.latencyMs.mean * 1e6;
const whole = (n) => (n === undefined ? '-' : String(Math.round(n)));
const times = (n) => (Number.isFinite(n) ? `${n.toFixed(n < 10 ? 2 : 1)}x` : '-');

/**
 * The published columns of each row, and the ratios of go-micro to go-orb.
 *
 * @param {object[]} rows  natsjsRows that were run
 * @param {object[]} steps of the report, one for each row
 */
export function table(rows, steps) {
  const measured = {};
  for (const row of rows) {
    const step = steps.find(({ op, ops }) => op === row.name && ops > 0);
    if (step) measured[row.name] = { row, step };
  }
  const lines = rows.map(({ name, published }) => {
    const step = steps.find(({ op }) => op === name);
    const { step: done } = measured[name] || {};
    return [
      name, whole(step ? step.ops : 0), whole(done && nanoseconds(done)),
      whole(done && (done.bytesSent + done.bytesReceived) / done.ops), whole(step ? step.failed : 0),
      published ? whole(published.nanoseconds) : '-',
    ];
  });
  return `${grid(['row', 'iterations', 'ns/op', 'moved B/op', 'failed', 'published ns/op'], lines)}
ns/op is the mean of the operations that succeeded; moved B/op is what went over the connection, both ways. The published rows also tell the
allocations of a process that held client and server, which nobody outside of it can see.
${ratios(rows, measured)}`;
}

function ratios(rows, measured) {
  const lines = pairs.flatMap((pair) => linesOf(pair, rows.filter((row) => row.pair === pair), measured));
  if (lines.length === 0) return '';
  const told = Object.entries(unlike).filter(([pair]) => lines.some(([name]) => name === pair));
  const notes = told.map(([pair, why]) => `${pair}, as published: ${why}\n`);
  return `\n${grid(['pair', 'compared', 'form', 'ratio', 'for each key', 'published'], lines)}
Ratios are ns/op of micro to that of orb: above 1, orb is faster.
${notes.join('')}`;
}

function linesOf(pair, rows, measured) {
  const of = (layout, fair) => rows.find((row) => row.layout === layout && (layout !== 'micro' || !pair.startsWith('List') || fair === !row.published));
  const found = pair.startsWith('List') ? [
    ratio(pair, 'as published', of('orb'), of('micro', false), measured),
    ratio(pair, 'like for like', of('orb'), of('micro', true), measured),
  ] : [ // the tables of orb-compat share their keys: its lists compare with nothing
    ratio(pair, '', of('orb'), of('micro'), measured),
    ratio(pair, '', of('orb-compat'), of('micro'), measured),
  ];
  return found.filter((line) => line !== null);
}

function ratio(pair, form, one, other, measured) {
  if (!one || !other || !measured[one.name] || !measured[other.name]) return null;
  const [a, b] = [measured[one.name].step, measured[other.name].step];
  const perKey = a.rows > 0 && b.rows > 0 ? times((nanoseconds(b) / (b.rows / b.ops)) / (nanoseconds(a) / (a.rows / a.ops))) : '-';
  const published = one.published && other.published ? times(other.published.nanoseconds / one.published.nanoseconds) : '-';
  return [pair, `${other.name} / ${one.name}`, form, times(nanoseconds(b) / nanoseconds(a)), perKey, published];
}

function grid(head, lines) {
  const all = [head, ...lines];
  const widths = head.map((_, i) => Math.max(...all.map((line) => line[i].length)));
  const left = (i) => /^(row|pair|compared|form)$/.test(head[i]);
  const text = all.map((line) => `| ${line.map((cell, i) => (left(i) ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join(' | ')} |\n`);
  text.splice(1, 0, `|${widths.map((width, i) => (left(i) ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|\n`);
  return text.join('');
}
