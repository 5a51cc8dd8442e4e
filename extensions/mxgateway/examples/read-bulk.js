// Reads tags of an MXAccess gateway in bulk: once with their values, then many times in Go, with 1,
// 5 and 20 clients.
//
//   MXGW_URL=127.0.0.1:50051 MXGW_KEY=mxgw_id_secret bin/k6 run extensions/mxgateway/examples/read-bulk.js
import sweep from 'k6/x/sweep';
import mxgateway from 'k6/x/mxgateway';

const gateway = new mxgateway.Client(__ENV.MXGW_URL, {
  apiKey: __ENV.MXGW_KEY,
  proto: __ENV.PROTO || '../../../scenarios/lib/mxaccess_gateway.proto', // your gateway's file; or reflection: true
});

export const options = sweep.options({ scenario: 'read-bulk-example', clients: [1, 5, 20], iterations: 50, warmup: '500ms', op: 'readBulk' });

const tags = ['TestMachine_001.TestChangingInt', 'TestMachine_002.TestChangingInt', 'TestMachine_003.TestChangingInt'];

export function setup() {
  gateway.open('example');
  gateway.register('example');
  for (const { tag, wasSuccessful, value, quality, errorMessage } of gateway.readBulk(tags)) {
    console.log(wasSuccessful ? `${tag} is ${value}, quality ${quality}` : `${tag}: ${errorMessage}`);
  }
  gateway.close();
}

export default function () {
  gateway.open('example');
  gateway.register('example');
  gateway.subscribe(tags);
  sweep.run(() => gateway.run()); // many calls in Go; ends with the client's share of the step
  gateway.unsubscribe();
  gateway.close();
}

export const handleSummary = (data) => sweep.report(data);
