// A YCSB workload in JavaScript, for stores that only a script knows how to use: sweep.ycsb draws
// the same operations as client.ycsb, which does many in one call, in Go. Here a record is one
// value in JSON, and the store is memcached.
//
//   MEMCACHED_URL=127.0.0.1:11211 bin/k6 run extensions/sweep/examples/ycsb.js
import { Client } from 'k6/x/memcached';
import sweep from 'k6/x/sweep';

const client = new Client(__ENV.MEMCACHED_URL, { prefix: 'example_ycsb:' });
const ycsb = sweep.ycsb({ workload: 'f', recordCount: 1000, writeAllFields: true, dataIntegrity: true });

export const options = sweep.options({ scenario: 'ycsb', opNames: ycsb.ops, clients: [1, 4], iterations: 500 });

const read = ({ key }) => ycsb.check(key, JSON.parse(client.get(key)));
const write = ({ key, values }) => client.set(key, JSON.stringify(values));

const operations = {
  READ: read,
  UPDATE: write,
  INSERT: (operation) => {
    write(operation);
    ycsb.inserted();
  },
  'READ-MODIFY-WRITE': (operation) => {
    read(operation);
    write(operation);
  },
};

export function setup() {
  for (let record = ycsb.record(); record; record = ycsb.record()) write(record);
}

export default function () {
  client.connect();
  sweep.run(() => {
    const operation = ycsb.next();
    sweep.op(operation.op, () => operations[operation.op](operation));
  });
}

export const handleSummary = (data) => sweep.report(data);
