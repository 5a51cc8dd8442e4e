// An ordinary script with only the executor's name.
import { sleep } from 'k6';

export const options = {
  scenarios: { unaware: { executor: 'client-sweep', clients: [1, 2], iterations: 10 } },
  thresholds: { http_req_duration: ['p(95)<500'], iteration_duration: ['p(95)<5000'] },
};

export default function () {
  sleep(0.01);
}
