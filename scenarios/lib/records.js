// What each VU of scenarios of records needs to reach its store, and no more: settings are read by
// the first VU, and shared.
import sweep from 'k6/x/sweep';

/** @returns {any} the driver of a database */
function driverOf(store) {
  switch (store) {
    case 'postgres': return require('k6/x/sql/driver/postgres');
    case 'sqlite': return require('k6/x/sql/driver/sqlite3');
    default: return require('k6/x/sql/driver/machbase');
  }
}

/** What connects at once. Rows of Machbase that were loaded before can be read after it. */
const greetings = { postgres: 'select 1', sqlite: 'select 1', machbase: 'exec table_flush(usertable)' };

/** The columns of the fields. */
const columns = (count, type) => Array.from({ length: count }, (_, i) => `, field${i} ${type}`).join('');

/** The statement that makes a table for records with so many fields. */
const tables = {
  postgres: ({ fieldCount }) => `create table usertable (ycsb_key varchar(120) primary key${columns(fieldCount, 'text')})`,
  sqlite: ({ fieldCount }) => `create table usertable (ycsb_key varchar(120) primary key${columns(fieldCount, 'text')})`,
  machbase: ({ fieldCount, fieldLength }) => 'create tag table usertable (ycsb_key varchar(120) primary key, time datetime basetime'
    + `${columns(fieldCount, `varchar(${fieldLength})`)})`,
};

/** A store in a database: its records are rows of the table usertable. */
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

/** A store in a bucket of NATS. */
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

/** A store in a cache. */
function cache({ store, url, timeout, own }) {
  const { newClient } = require('./clients.js');
  const protocol = { umem: 'umemcache', redis: 'resp' }[store] || store;
  const client = newClient({ protocol, address: url, options: { timeout, ...own } });
  return { connect: () => client.connect(), clear: () => {}, ycsb: (workload, options) => client.ycsb(workload, options) };
}

/**
 * A store as ycsb.js of this folder plans it: connect, clear, which makes room for records that
 * are loaded, and ycsb, which does operations.
 */
export function newStore(plan) {
  switch (plan.store) {
    case 'postgres': case 'sqlite': case 'machbase': return database(plan);
    case 'nats': return bucket(plan);
    default: return cache(plan);
  }
}

/** Loads what nobody has loaded yet, until there is nothing left. */
export function load(store, workload) {
  sweep.run(() => store.ycsb(workload, { phase: 'load', iterations: 100 }));
}
