// k6 runs TypeScript directly: k6 run examples/quick-start.ts
import { sleep } from 'k6';
import sweep from 'k6/x/sweep';

const { MS } = sweep.settings({ MS: 1 }); // -e MS=5

export const options = sweep.options({ scenario: 'quick-start', clients: [1, 2], iterations: 20, warmup: '0s', pause: '0s' });

export default function (): void {
  sweep.run(() => sleep(MS / 1000)); // one call is one operation
}

export const handleSummary = (data: unknown) => sweep.report(data);
