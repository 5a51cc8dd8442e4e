// What the scripts of the bench have in common: one step, closed (CLIENTS) or at a rate (RATE).
import sweep from 'k6/x/sweep';

const { CLIENTS = '1', RATE, DURATION = '4s', WARMUP = '1s', RESULTS = 'results' } = __ENV;

/** Options of a script whose one step has this operation. */
export const step = (op) => sweep.options({
  scenario: 'bench',
  op,
  ...(RATE ? { rate: [Number(RATE)], preAllocatedVUs: Number(CLIENTS) } : { clients: [Number(CLIENTS)] }),
  duration: DURATION,
  warmup: WARMUP,
});

/** Names the server, whose processor time the report then has. For setup. */
export const target = (kind, address) => sweep.meta({ target: { kind, url: address.includes('://') ? address : `${kind}://${address}` } });

/** For handleSummary. */
export const report = (data) => sweep.report(data, { dir: RESULTS });
