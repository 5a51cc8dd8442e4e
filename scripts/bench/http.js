// A plain k6 script, to measure memory with and without the output `sweep`.
import http from 'k6/http';
import { sleep } from 'k6';

export default function () {
  http.get(__ENV.URL);
  sleep(0.1);
}
