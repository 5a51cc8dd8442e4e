/**
 * k6/x/sql runs SQL on databases. It is Grafana's xk6-sql with the drivers `machbase`, `sqlite3`
 * and `postgres`, which are the default exports of `k6/x/sql/driver/machbase` and so on.
 *
 * ```js import sql from 'k6/x/sql'; import sqlite3 from 'k6/x/sql/driver/sqlite3';
 *
 * const db = sql.open(sqlite3, './test.db', { max_open_conns: 1 }); ```
 *
 * A call blocks its VU, and throws a {@link SqlError} if it fails. README.md in this folder lists
 * the differences from Grafana's module and drivers, and says when connections close.
 *
 * Metrics: `sql_ops` (Counter) and `sql_op_duration` (Trend in milliseconds; not under the executor
 * client-sweep, which measures durations itself), both with the tags `op` (query, exec) and
 * `outcome` (ok, or the error's kind). Connecting is part of the call that needs a connection.
 *
 * `sql_wait` (Trend in milliseconds, with the tag `op`; not under client-sweep) is how long a call
 * on a `shared` pool waited for a connection, without connecting. The call's duration includes it.
 * Under client-sweep, a step has the sum in `extra.counters.sqlWaitMicroseconds`.
 *
 * `sql_failed` (Rate, with the tag `op`) is the share of failed operations, like `http_req_failed`
 * for requests. A threshold: `sql_failed: ['rate<0.01']`.
 */
declare module 'k6/x/sql' {
  /** Limits of a database's connections and calls. */
  export interface Options {
    /**
     * Whether all VUs that open the same database with the same limits share one pool of
     * connections. A call then takes any free connection, or waits for one. So a transaction of
     * several statements is an error. Connections stay open, also between the steps of a sweep,
     * until all databases of the pool are closed, or k6 ends. Default false.
     */
    shared?: boolean;
    /** Maximum number of open connections; 0, the default: no limit. In a sweep use 1. */
    max_open_conns?: number;
    /** Maximum number of idle connections that stay open. Default 2, with `shared` all; 0: none. */
    max_idle_conns?: number;
    /** Maximum idle time of a connection. Default: no limit. */
    conn_max_idle_time?: XK6Sweep.Duration;
    /** Maximum age of a connection. Default: no limit. */
    conn_max_lifetime?: XK6Sweep.Duration;
    /** Timeout of a call that sets none, connecting included. Default `"60s"`, as in k6/http. */
    timeout?: XK6Sweep.Duration;
    /**
     * Tags of all samples of this database, since calls have no options: select them with
     * `sql_ops{db:orders}`.
     */
    tags?: XK6Sweep.Tags;
  }

  /**
   * The error of a failed call.
   *
   * | kind | |
   * |---|---|
   * | `connect` | the database could not be reached or opened |
   * | `connection` | the connection broke |
   * | `timeout` | no answer within timeout |
   * | `cancelled` | the test ended, or the server cancelled the query |
   * | `auth` | unknown user, wrong password, or no permission |
   * | `syntax` | the server cannot parse the statement |
   * | `not_found` | no such table, column or other object |
   * | `conflict` | the object or key exists already; a conflict with another transaction |
   * | `busy` | a lock, too many connections |
   * | `too_large`, `full` | a value or statement is too large; the server is out of space |
   * | `usage` | the call itself is wrong, or its values are |
   * | `server` | any other error of the database |
   * | `append`, `protocol` | Machbase: a row cannot be appended; an invalid answer |
   * | `internal` | a fault in k6's extensions or in a library; its stack is in the log |
   */
  export interface SqlError extends Error {
    name: 'SqlError';
    kind:
      | 'connect'
      | 'connection'
      | 'timeout'
      | 'cancelled'
      | 'auth'
      | 'syntax'
      | 'not_found'
      | 'conflict'
      | 'busy'
      | 'too_large'
      | 'full'
      | 'usage'
      | 'server'
      | 'append'
      | 'protocol'
      | 'internal';
    /**
     * The database's code: a number of Machbase or SQLite, PostgreSQL's SQLSTATE (a string), or 0.
     */
    code: number | string;
  }

  /** The result of a statement. Some drivers support only one of the methods. */
  export interface Result {
    /** The key that the database generated for an inserted row. */
    lastInsertId(): number;
    /** The number of rows that were inserted, changed or deleted. */
    rowsAffected(): number;
  }

  /**
   * A row: its columns by name, in the order of the query. README.md in this folder has the table
   * of types: times are Dates, bytes are ArrayBuffers, integers beyond 2^53 are strings.
   */
  export type Row = { [column: string]: any };

  /** A database. It opens connections when they are needed. */
  export interface Database {
    /**
     * Runs a query and returns all its rows. Throws if the query fails in the middle of its rows.
     */
    query(query: string, ...values: unknown[]): Row[];
    /** Like {@link Database.query}, with a timeout. */
    queryWithTimeout(timeout: XK6Sweep.Duration, query: string, ...values: unknown[]): Row[];
    /** Runs a statement that returns no rows. */
    exec(query: string, ...values: unknown[]): Result;
    /** Like {@link Database.exec}, with a timeout. */
    execWithTimeout(timeout: XK6Sweep.Duration, query: string, ...values: unknown[]): Result;
    /**
     * Runs operations of a core workload of YCSB, with statements that are prepared once for each
     * connection. A record is a row of the table `usertable`, which must exist, with the columns
     * `ycsb_key`, `field0`, `field1` and so on. For Machbase it is a tag table with a column `time`
     * too, and updates and scans are not supported.
     */
    ycsb(workload: XK6SweepYCSB.Workload, call: XK6SweepYCSB.Call): XK6SweepYCSB.Result;
    /** Closes the database's connections. */
    close(): void;
  }

  const sql: {
    /**
     * Returns a database. Does not connect yet.
     *
     * @param driver the default export of the driver's module
     * @throws kind `usage`: driver is not a driver, source is malformed, or an option is unknown or
     *   has a wrong value
     * @param source the driver's name of the database: a file, or a URL such as
     *   `machbase://user:password@host:5656`
     */
    open(driver: symbol, source: string, options?: Options): Database;
  };
  export default sql;
}

declare module 'k6/x/sql/driver/*' {
  /** The driver, for `sql.open`. */
  const driver: symbol;
  export default driver;
}
