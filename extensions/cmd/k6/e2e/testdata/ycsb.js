// Loads and runs all core workloads of YCSB on all stores, then changes a record that is read, and
// prints the results line by line.
import memcached from 'k6/x/memcached';
import redis from 'k6/x/redis';
import sql from 'k6/x/sql';
import postgres from 'k6/x/sql/driver/postgres';
import sqlite from 'k6/x/sql/driver/sqlite3';
import sweep from 'k6/x/sweep';
import { newStore } from '../../../../../scenarios/lib/records.js';

const url = (name) => __ENV[name === 'sqlite' ? 'SQLITE_URL' : `${name.toUpperCase()}_URL`];
const names = ['redis', 'memcached', 'umem', 'nats', 'postgres', 'sqlite', 'machbase'];
const stores = Object.fromEntries(names.map((store) => [
  store, newStore({ [`${store.toUpperCase()}_URL`]: url(store), TIMEOUT: '60s', UMEM_GENERATION: 'G3', UMEM_THREADS: 4 }, store),
]));
const hashes = new redis.Client(url('redis'));
const values = new memcached.Client(url('memcached'));
const databases = { postgres: sql.open(postgres, url('postgres')), sqlite: sql.open(sqlite, url('sqlite')) };

/** Changes a record behind YCSB's back. */
const spoil = {
  redis: (key) => hashes.hset(key, 'field1', 'x'.repeat(30)),
  memcached: (key) => values.set(key, `${values.get(key).slice(0, -1)}!`),
  postgres: (key) => databases.postgres.exec('update usertable set field1 = $1 where ycsb_key = $2', 'x'.repeat(30), key),
  sqlite: (key) => databases.sqlite.exec('update usertable set field1 = ? where ycsb_key = ?', 'x'.repeat(30), key),
};

export default async function () {
  for (const store of names) {
    const record = {
      recordCount: 100, fieldCount: 4, fieldLength: 30, maxScanLength: 10, dataIntegrity: true, writeAllFields: ['memcached', 'umem', 'nats'].includes(store),
    };
    const does = (work, workload, options) => {
      let came;
      try {
        came = stores[store].ycsb({ ...record, ...workload }, options);
      } catch (e) {
        came = { error: e.message };
      }
      console.log(JSON.stringify({ store, work, ...came }));
    };
    stores[store].clear(record);
    does('load e', { workload: 'e' }, { phase: 'load' }); // with the set for scans
    does('load', { workload: 'c' }, { phase: 'load' });
    stores[store].connect();
    for (const workload of ['a', 'b', 'c', 'd', 'e', 'f']) does(workload, { workload }, { phase: 'run', iterations: 200 });
    if (spoil[store]) {
      await spoil[store](sweep.ycsb({ ...record, workload: 'c' }).next().key); // the first key of this VU
      does('spoilt', { workload: 'c', operationCount: 1 }, { phase: 'run', iterations: 20 }); // another workload, which restarts the draws
    }
  }
}
