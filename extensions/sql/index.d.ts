/**
 * k6/x/sql: databases by SQL. This is Grafana's xk6-sql, with the drivers `machbase`, `sqlite3` and
 * `postgres`, which are the default exports of `k6/x/sql/driver/machbase` and so on.
 *
 * ```js
 * import sql from 'k6/x/sql';
 * import sqlite3 from 'k6/x/sql/driver/sqlite3';
 *
 * const db = sql.open(sqlite3, './test.db', { max_open_conns: 1 });
 * ```
 *
 * All calls block their VU, and throw a {@link SqlError} when they fail. What differs from
 * Grafana's own module and drivers, and how connections end: README.md beside this file.
 *
 * Metrics: `sql_ops` (Counter) and `sql_op_duration` (Trend in milliseconds; not under the executor
 * client-sweep, which has durations of its own), both with the tags `op` (query, exec) and
 * `outcome` (ok, or the error's kind). Connecting is part of the call that needs a connection.
 *
 * `sql_failed` (Rate, with the tag `op`) is the share of operations that failed, as
 * `http_req_failed` is of requests: a threshold is `sql_failed: ['rate<0.01']`.
 */
declare module 'k6/x/sql' {
  /** Limits of a database's connections and calls. */
  export interface Options {
    /**
     * How many connections are open at a time; 0, the default, for any number. A client of a sweep
     * takes 1.
     */
    max_open_conns?: number;
    /** How many connections stay open without work. Default 2; 0 for none. */
    max_idle_conns?: number;
    /** How long a connection stays open without work; for ever when not given. */
    conn_max_idle_time?: XK6Sweep.Duration;
    /** How long a connection is used; for ever when not given. */
    conn_max_lifetime?: XK6Sweep.Duration;
    /**
     * How long a call may take that has no time of its own, connecting included. Default `"60s"`,
     * as that of k6/http.
     */
    timeout?: XK6Sweep.Duration;
    /**
     * Tags of the samples of all its calls, as these have no options: `sql_ops{db:orders}` is one
     * database's.
     */
    tags?: XK6Sweep.Tags;
  }

  /**
   * What went wrong.
   *
   * | kind | |
   * |---|---|
   * | `connect` | the database could not be reached or opened |
   * | `connection` | the connection broke |
   * | `timeout` | no answer within timeout |
   * | `cancelled` | the test ended, or the server cancelled the query |
   * | `auth` | unknown user, wrong password, or one that may not do this |
   * | `syntax` | the server does not understand the statement |
   * | `not_found` | no such table, column or the like |
   * | `conflict` | what is to be made exists already, a key among them; a transaction that another one was in the way of |
   * | `busy` | a lock, too many connections |
   * | `too_large`, `full` | a value or statement is too large; there is no room left |
   * | `usage` | the call itself is wrong, or its values are |
   * | `server` | any other error of the database |
   * | `append`, `protocol` | of Machbase: a row cannot be appended; what came is no answer |
   * | `internal` | a fault in k6's extensions or in a library, not in the script or the server; its stack is in the log |
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
     * The database's: a number of Machbase or SQLite, the SQLSTATE of PostgreSQL, a string. 0 where
     * there is none.
     */
    code: number | string;
  }

  /** What a statement without rows has done. Not every driver knows both. */
  export interface Result {
    /** The key that the database made for a row that was inserted. */
    lastInsertId(): number;
    /** How many rows were inserted, changed or deleted. */
    rowsAffected(): number;
  }

  /**
   * A row: its columns by name, in the order of the query. README.md beside this file has the table
   * of types: times are a Date, bytes an ArrayBuffer, whole numbers beyond 2^53 a string.
   */
  export type Row = { [column: string]: any };

  /** A database and its connections, which are opened when they are needed. */
  export interface Database {
    /**
     * Runs a query and returns all its rows. One that breaks off in the middle of its rows throws.
     */
    query(query: string, ...values: unknown[]): Row[];
    /** As {@link Database.query}, for at most so long. */
    queryWithTimeout(timeout: XK6Sweep.Duration, query: string, ...values: unknown[]): Row[];
    /** Runs a statement that has no rows. */
    exec(query: string, ...values: unknown[]): Result;
    /** As {@link Database.exec}, for at most so long. */
    execWithTimeout(timeout: XK6Sweep.Duration, query: string, ...values: unknown[]): Result;
    /** Closes the database's connections. */
    close(): void;
  }

  const sql: {
    /**
     * A database. Nothing connects yet.
     *
     * @param driver the default export of the driver's module
     * @throws kind `usage`: it is no driver, the name is malformed, or an option is unknown or has
     *   a wrong value
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
