// The stores of ycsb.js: their settings and clients, and what they cannot do.
import { caches, newClient, urlOf } from './caches.js';

const servers = [1, 8, 16, 32, 64, 128, 512];
const databases = [1, 8, 16, 32, 64]; // PostgreSQL accepts 100 connections by default
const noOrder = { scan: 'it does not know the order of its keys' };

/**
 * The stores: numbers of clients, whether a record is one value (whole), whether a record can be
 * missing while it is written, and unsupported operations with the reason.
 */
export const stores = {
  redis: { clients: servers },
  memcached: { clients: servers, whole: true, without: noOrder },
  umem: { clients: servers, whole: true, misses: true, without: noOrder },
  nats: { clients: servers, whole: true, without: { scan: 'a bucket is not read in the order of its keys' } },
  postgres: { clients: databases },
  sqlite: { clients: databases },
  machbase: {
    clients: databases,
    misses: true,
    without: {
      update: 'rows of a tag table do not change',
      readModifyWrite: 'rows of a tag table do not change',
      scan: 'a tag table is not read in the order of its tags',
    },
  },
};

const { MEMCACHED_URL, UMEM_URL, REDIS_URL, UMEM_GENERATION, UMEM_THREADS, TIMEOUT } = caches;

/** The addresses of the stores. */
export const addresses = {
  REDIS_URL, MEMCACHED_URL, UMEM_URL,
  NATS_URL: 'nats://127.0.0.1:4222',
  POSTGRES_URL: 'postgres://postgres@127.0.0.1:5432/postgres?sslmode=disable',
  SQLITE_URL: 'ycsb.db',
  MACHBASE_URL: 'machbase://sys:manager@127.0.0.1:5656',
};
/** Other settings of the clients. */
export const connection = { REDIS_CLUSTER: 1, UMEM_GENERATION, UMEM_THREADS, TIMEOUT };

/**
 * Returns the client of a store: connect, clear, which prepares an empty store, and ycsb, which
 * runs operations.
 */
export function newStore(env, store) {
  switch (store) {
    case 'postgres': case 'sqlite': case 'machbase': return database(env, store);
    case 'nats': return bucket(env);
    default: {
      const client = newClient(env, store);
      return { url: urlOf(env, store), connect: () => client.connect(), clear: () => {}, ycsb: (workload, options) => client.ycsb(workload, options) };
    }
  }
}

function bucket({ NATS_URL: url, TIMEOUT: timeout }) {
  const { Client } = require('k6/x/nats');
  const client = new Client(url, { timeout });
  const layout = client.layout({ layout: 'orb', database: 'usertable' });
  return {
    url: url.split(',')[0],
    connect: () => client.connect({ runs: true }),
    clear: () => layout.drop(),
    ycsb: (workload, options) => layout.ycsb(workload, options),
  };
}

/** Records are rows of the table usertable. */
function database(env, store) {
  const sql = require('k6/x/sql').default;
  const url = env[`${store.toUpperCase()}_URL`];
  const db = sql.open(driverOf(store), url, { max_open_conns: 1, timeout: env.TIMEOUT });
  const columns = (count, type) => Array.from({ length: count }, (_, i) => `, field${i} ${type}`).join('');
  return {
    url: url.includes('://') ? url : `${store}://${url}`,
    // For Machbase the first statement of a connection makes loaded rows readable.
    connect: () => db.exec(store === 'machbase' ? 'exec table_flush(usertable)' : 'select 1'),
    clear: ({ fieldCount, fieldLength }) => {
      try {
        db.exec('drop table usertable');
      } catch (e) {
        if (e.kind !== 'not_found') throw e;
      }
      db.exec(store === 'machbase'
        ? `create tag table usertable (ycsb_key varchar(120) primary key, time datetime basetime${columns(fieldCount, `varchar(${fieldLength})`)})`
        : `create table usertable (ycsb_key varchar(120) primary key${columns(fieldCount, 'text')})`);
    },
    ycsb: (workload, options) => db.ycsb(workload, options),
  };
}

/** @returns {any} */
function driverOf(store) {
  switch (store) {
    case 'postgres': return require('k6/x/sql/driver/postgres');
    case 'sqlite': return require('k6/x/sql/driver/sqlite3');
    default: return require('k6/x/sql/driver/machbase');
  }
}
