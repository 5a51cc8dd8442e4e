// An ordinary script without checks.
import http from 'k6/http';

export const options = {
  scenarios: { noimport: { executor: 'client-sweep', clients: [2], iterations: 3, maxDuration: '20s' } },
};

export default function () {
  http.get(__ENV.URL);
}
