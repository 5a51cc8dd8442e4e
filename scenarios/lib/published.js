// Published results, shown with the measured ones as a shape, because other machines produced them.
// Source: the tables of machbase/neo-tester at b95bed6, programs stock and stockgo with -rollup,
// 10,000 operations per client.

const clients = [1, 8, 16, 32, 64, 128, 512];

/** Returns a published sweep of the roll-up query: ops/s in the order of clients. */
function rollup(client, label, opsPerSecond) {
  return {
    client,
    label,
    source: 'machbase/neo-tester at b95bed6, machbase v8.0.73-rc3',
    machine: 'not told; the micro benchmark beside it ran on an Apple M5',
    points: clients.map((n, i) => ({ clients: n, opsPerSecond: opsPerSecond[i] })),
  };
}

// By client, with the names of stock-drivers.js.
const rollups = [
  rollup('machcli', '2026/02/20, api/machcli', [827, 6030, 10641, 15877, 18289, 17141, 24157]),
  // Its title says stmt-reuse, but its command has no -reuse.
  rollup('machgo', '2026/02/20, api/machgo, titled stmt-reuse', [1828, 11586, 22420, 28869, 29689, 29273, 29874]),
  rollup('machcli', '2026/02/23, api/machcli', [824, 5946, 10512, 15898, 18314, 17043, 24264]),
  rollup('machgo', '2026/02/23, api/machgo', [1105, 6777, 12847, 19333, 21031, 24891, 25132]),
  rollup('machgo-reuse', '2026/02/20, api/machgo, stmt-reuse (-reuse)', [1719, 11443, 20843, 29231, 29594, 29497, 29725]),
];

/** Series by scenario: `{ label, source, machine, op, points: [{ clients, opsPerSecond }] }`. */
export const published = {
  'stock-rollup': rollups.map(({ client, ...series }) => ({ ...series, op: 'rollup' })),
  'stock-drivers': rollups.map(({ client, ...series }) => ({ ...series, op: client })),
};
