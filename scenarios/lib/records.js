// The part of scenarios with records that runs in each VU. The first VU reads the settings, and
// shares them.
import sweep from 'k6/x/sweep';

/** @returns {any} the driver of a database */
function driverOf(store) {
  switch (store) {
    case 'postgres': return require('k6/x/sql/driver/postgres');
    case 'sqlite': return require('k6/x/sql/driver/sqlite3');
    default: return require('k6/x/sql/driver/machbase');
  }
}

/** The first statement of a connection. For Machbase it makes loaded rows readable. */
const greetings = { postgres: 'select 1', sqlite: 'select 1', machbase: 'exec table_flush(usertable)' };

/** Returns the columns of the fields. */
const columns = (count, type) => Array.from({ length: count }, (_, i) => `, field${i} ${type}`).join('');

/** The statement that creates the table for a number of fields. */
const tables = {
  postgres: ({ fieldCount }) => `create table usertable (ycsb_key varchar(120) primary key${columns(fieldCount, 'text')})`,
  sqlite: ({ fieldCount }) => `create table usertable (ycsb_key varchar(120) primary key${columns(fieldCount, 'text')})`,
  machbase: ({ fieldCount, fieldLength }) => 'create tag table usertable (ycsb_key varchar(120) primary key, time datetime basetime'
    + `${columns(fieldCount, `varchar(${fieldLength})`)})`,
};

/** Returns a store in a database: records are rows of the table usertable. */
function database({ store, url, timeout }) {
  const sql = require('k6/x/sql').default;
  const db = sql.open(driverOf(store), url, { max_open_conns: 1, timeout });
  return {
    connect: () => db.exec(greetings[store]),
    clear: (record) => {
      try {
        db.exec('drop table usertable');
      } catch (e) {
        if (e.kind !== 'not_found') throw e;
      }
      db.exec(tables[store](record));
    },
    ycsb: (workload, options) => db.ycsb(workload, options),
  };
}

/** Returns a store in a NATS bucket. */
function bucket({ url, timeout }) {
  const { Client } = require('k6/x/nats');
  const client = new Client(url, { timeout });
  const layout = client.layout({ layout: 'orb', database: 'usertable' });
  return {
    connect: () => client.connect({ runs: true }),
    clear: () => layout.drop(),
    ycsb: (workload, options) => layout.ycsb(workload, options),
  };
}

/** Returns a store in a cache. */
function cache({ store, url, timeout, own }) {
  const { newClient } = require('./clients.js');
  const protocol = { umem: 'umemcache', redis: 'resp' }[store] || store;
  const client = newClient({ protocol, address: url, options: { timeout, ...own } });
  return { connect: () => client.connect(), clear: () => {}, ycsb: (workload, options) => client.ycsb(workload, options) };
}

/**
 * Returns the store of a plan of ycsb.js: connect, clear, which prepares an empty store, and ycsb,
 * which runs operations.
 */
export function newStore(plan) {
  switch (plan.store) {
    case 'postgres': case 'sqlite': case 'machbase': return database(plan);
    case 'nats': return bucket(plan);
    default: return cache(plan);
  }
}

/** Loads missing records until all are loaded. */
export function load(store, workload) {
  sweep.run(() => store.ycsb(workload, { phase: 'load', iterations: 100 }));
}
