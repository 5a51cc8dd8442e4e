// More tables of scenarios: see Table of k6/x/sweep.

/**
 * Returns a table of things per second, for steps whose operations are batches of things.
 *
 * @param {string} things what an operation has many of, such as rows
 * @param {any[]} steps   of the report
 * @returns {import('k6/x/sweep').Table}
 */
export function ratesOf(things, steps) {
  return {
    title: `What went over in batches: ${things}`,
    columns: [
      { name: 'clients' }, { name: 'repeat' }, { name: things }, { name: `${things}/s`, better: 'higher' },
      { name: 'sent', unit: 'MB/s', better: 'higher', digits: 1 }, { name: 'sent', unit: `bytes/${things.slice(0, -1)}`, digits: 1 },
    ],
    rows: steps.map(({ clients, repeat, rows, seconds, bytesSent, extra: { counters } }) => {
      const moved = (counters && counters[things]) || rows;
      return [clients, repeat, moved, Math.round(moved / seconds), bytesSent / seconds / 1e6, bytesSent / moved];
    }),
  };
}
