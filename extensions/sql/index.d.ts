/**
 * k6/x/sql: databases by SQL. This is Grafana's xk6-sql, with the drivers `machbase`, `sqlite3` and `postgres`, which are the
 * default exports of `k6/x/sql/driver/machbase` and so on.
 *
 * ```js
 * import sql from 'k6/x/sql';
 * import sqlite3 from 'k6/x/sql/driver/sqlite3';
 *
 * const db = sql.open(sqlite3, './test.db', { max_open_conns: 1 });
 * ```
 *
 * All calls block their VU and throw when they fail. There are no metrics: time operations with `sweep.run` of k6/x/sweep. What
 * differs from Grafana's own drivers, and how connections end: README.md beside this file.
 */
declare module 'k6/x/sql' {
  /** Limits of a database's connections. Times are strings such as `"2s"` or `"1h10m"`. */
  export interface Options {
    /** How many connections are open at a time; 0, the default, for any number. A client of a sweep takes 1. */
    max_open_conns?: number;
    /** How many connections stay open without work. Default 2; 0 for none. */
    max_idle_conns?: number;
    /** How long a connection stays open without work; for ever when not given. */
    conn_max_idle_time?: string;
    /** How long a connection is used; for ever when not given. */
    conn_max_lifetime?: string;
  }

  /** What a statement without rows has done. Not every driver knows both. */
  export interface Result {
    /** The key that the database made for a row that was inserted. */
    lastInsertId(): number;
    /** How many rows were inserted, changed or deleted. */
    rowsAffected(): number;
  }

  /** A row: its columns by name. A whole number above 2^53 is rounded. */
  export type Row = { [column: string]: any };

  /** A database and its connections, which are opened when they are needed. */
  export interface Database {
    /** Runs a query and returns all its rows. One that breaks off in the middle of its rows throws. */
    query(query: string, ...values: unknown[]): Row[];
    /** As {@link Database.query}, for at most so long, such as `"10s"`. */
    queryWithTimeout(timeout: string, query: string, ...values: unknown[]): Row[];
    /** Runs a statement that has no rows. */
    exec(query: string, ...values: unknown[]): Result;
    /** As {@link Database.exec}, for at most so long, such as `"10s"`. */
    execWithTimeout(timeout: string, query: string, ...values: unknown[]): Result;
    /** Closes the database's connections. */
    close(): void;
  }

  const sql: {
    /**
     * A database. Nothing connects yet.
     *
     * @param driver the default export of the driver's module
     * @param source the driver's name of the database: a file, or a URL such as `machbase://user:password@host:5656`
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
