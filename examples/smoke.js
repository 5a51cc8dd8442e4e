// The script for `xk6 lint`: it loads all modules, and checks that a sweep counts its operations.
// It needs no server, and writes no file.
//     k6 run examples/smoke.js
import machbase from 'k6/x/machbase';
import memcached from 'k6/x/memcached';
import mxgateway from 'k6/x/mxgateway';
import nats from 'k6/x/nats';
import resp from 'k6/x/resp';
import sweep from 'k6/x/sweep';
import umemcache from 'k6/x/umemcache';

for (const { Client } of [machbase, memcached, mxgateway, nats, resp, umemcache]) {
  if (typeof Client !== 'function') throw new Error('a module has no Client');
}

export const options = sweep.options({
  scenario: 'smoke', clients: [1, 4], iterations: 50, thresholds: { 'sweep_ops{outcome:ok}': [`count==${(1 + 4) * 50}`] },
});

export default function () {
  sweep.run(() => {});
}
