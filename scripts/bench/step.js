// Common code of the bench scripts: one step, closed (CLIENTS) or at a rate (RATE).
import sweep from 'k6/x/sweep';

const { CLIENTS = '1', RATE, DURATION = '4s', WARMUP = '1s', RESULTS = 'results' } = __ENV;

/** Returns the options of a script with one step of this operation. */
export const step = (op) => sweep.options({
  scenario: 'bench',
  op,
  ...(RATE ? { rate: [Number(RATE)], preAllocatedVUs: Number(CLIENTS) } : { clients: [Number(CLIENTS)] }),
  duration: DURATION,
  warmup: WARMUP,
});

/** Names the server in setup, so that the report has its processor time. */
export const target = (kind, address) => sweep.meta({ target: { kind, url: address.includes('://') ? address : `${kind}://${address}` } });

/** For handleSummary. */
export const report = (data) => sweep.report(data, { dir: RESULTS });
