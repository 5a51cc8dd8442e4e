/**
 * k6/x/machbase: a client of the Machbase time series database over its native protocol.
 *
 * Every call blocks its VU until it is done, and throws a {@link MachbaseError} when it fails. Metrics:
 * `machbase_ops` (Counter), `machbase_op_duration` (Trend in milliseconds; not under the executor client-sweep, which
 * has durations of its own) and `machbase_rows` (Counter: rows read or appended), each with the tags `operation`
 * (connect, query, exec, prepare, append) and `outcome` (ok, or the error's kind); besides k6's own `data_sent` and
 * `data_received`.
 */
declare module 'k6/x/machbase' {
  /** A time as k6 writes it: a number of milliseconds, or a text such as `"5s"`, `"1m30s"`, `"300ms"` or `"1d"`. */
  export type Duration = number | string;

  /** The types for which {@link bind} makes parameters. */
  export type BindType =
    | 'short'
    | 'integer'
    | 'long'
    | 'float'
    | 'double'
    | 'datetime'
    | 'varchar'
    | 'ipv4'
    | 'ipv6'
    | 'binary';

  /**
   * The type of an answer's column. An unsigned type has the name of the signed one (ushort is `short`, and so on),
   * text and json are `varchar`.
   */
  export type ColumnType = BindType;

  /** A parameter whose type was chosen with {@link bind}. It has no properties of its own. */
  export interface TypedValue {
    readonly __machbaseTypedValue: never;
  }

  /**
   * What can be a parameter, a value of an appended row or an expected value.
   *
   * | JavaScript | Machbase |
   * |---|---|
   * | string | varchar |
   * | whole number up to 2^53 - 1, BigInt of up to 64 bits | long |
   * | any other number | double |
   * | Date | datetime |
   * | ArrayBuffer | binary |
   * | null, undefined | null |
   *
   * The server converts a parameter to the column's type where it can: a long fits any numeric column that can hold it
   * (but no varchar), a double loses its fraction in an integer column, a text can be an IP address. NaN and the infinities
   * become null, and so do the values with which Machbase writes null: '', the smallest short, integer and long, the largest
   * ushort and uinteger, the largest float and double.
   *
   * Anything else (a boolean, an object, an array, an invalid Date, a Date outside of the years 1678 to 2262, a BigInt of
   * more than 64 bits) is an error of kind `usage` that names the parameter.
   */
  export type Value = string | number | bigint | Date | ArrayBuffer | TypedValue | null | undefined;

  /**
   * A value of a row. A long beyond ±(2^53 - 1) is a BigInt, a datetime a Date (rounded down to milliseconds) or, with
   * `times: 'ns'`, a BigInt of nanoseconds since 1970; an IP address is a string, binary an ArrayBuffer. A ulong from 2^63
   * on comes out negative.
   */
  export type Cell = string | number | bigint | Date | ArrayBuffer | null;

  /** A column of an answer. */
  export interface Column {
    /** As the query wrote it; in upper case where it wrote `*`. */
    name: string;
    type: ColumnType;
  }

  /** The rows of an answer. `columns` is not among the array's own keys. */
  export type Rows<T> = T[] & { readonly columns: Column[] };

  /** How to reach the server. What stands here overrides what stands in the URL. */
  export interface ClientOptions {
    /** `machbase://user:password@host:port?timeout=5s`; see {@link Client}. */
    url?: string;
    /** Default `"127.0.0.1"`. */
    host?: string;
    /** Default 5656; 0 stands for the default. */
    port?: number;
    /** Default `"sys"`. The driver sends it in upper case. */
    user?: string;
    /** Default: none. The driver sends it in upper case. No `;` in it. It is in no error's message. */
    password?: string;
    /** How long an operation may take. Default `"60s"`, as that of k6/http. */
    timeout?: Duration;
    /** How long connecting and logging in may take. Default `"5s"`; the driver itself gives up dialling after 5 s. */
    connectTimeout?: Duration;
    /**
     * `"off"` (default): every query and exec is prepared, executed and freed, three round trips. `"auto"`: statements
     * that read or change rows are prepared once per connection and kept, one round trip. With `"auto"`, a table that is dropped
     * and created with other columns is read as it was until the connection is closed.
     */
    statementCache?: 'off' | 'auto';
    /** Rows in one packet of an answer, at least 1. Default 1000; 0 stands for the default. */
    fetchRows?: number;
  }

  /** Options of exec. */
  export interface ExecOptions {
    /** Of this call. Default: the client's. */
    timeout?: Duration;
  }

  /** Options of query. */
  export interface QueryOptions extends ExecOptions {
    /**
     * `"objects"` (default): one object a row, with the columns' names as keys (of two columns of one name, the last
     * stays). `"arrays"`: one array a row. `"discard"`: none; they are read, checked and counted in Go, so that a row costs no
     * JavaScript.
     */
    rows?: 'objects' | 'arrays' | 'discard';
    /** What a datetime becomes: a Date (default) or a BigInt of nanoseconds since 1970. */
    times?: 'date' | 'ns';
    /**
     * Values that columns must have in every row, checked in Go whatever `rows` is. Names are compared without regard to case,
     * numbers by value whatever their types, an IP address may be a string. A row with another value is an error
     * of kind `expect` that names row, column and both values; a column that the answer has not is one of kind `usage`. An answer
     * without rows passes.
     */
    expect?: { [column: string]: Value };
  }

  /**
   * What went wrong.
   *
   * | kind | code | |
   * |---|---|---|
   * | `connect` | 0 | the server could not be reached within connectTimeout |
   * | `connection` | 0 | the connection broke; also: an appender is used after its end |
   * | `timeout` | 0 | no answer within timeout |
   * | `cancelled` | 0, 3027 | the test ended; 3027: the server cancelled the query |
   * | `auth` | 2080, 2081 | unknown user, wrong password |
   * | `syntax` | 2010 | the server does not understand the statement |
   * | `not_found` | 2025, 2056, 2654, 0 | no such table, column, roll-up; 0: when an appender is opened |
   * | `busy` | 2031, 3039 | a lock, too many sessions |
   * | `append` | 3017, others, 0 | a row cannot be appended: 0 when the client found out, else the server's code |
   * | `expect` | 0 | a row is not as expected |
   * | `usage` | 0 | the call itself is wrong |
   * | `server` | others | any other error of the server, such as 2024: the table exists already |
   *
   * After `connect`, `connection`, `timeout`, `append` and `cancelled` with code 0 the connection is given up, as after an error of
   * the server amid an answer's rows: the next operation opens a new one. After the others it stays.
   */
  export interface MachbaseError extends Error {
    name: 'MachbaseError';
    /** The server's error code, which also stands in the message; 0 for errors that are not the server's. */
    code: number;
    kind:
      | 'connect'
      | 'connection'
      | 'timeout'
      | 'cancelled'
      | 'auth'
      | 'syntax'
      | 'not_found'
      | 'busy'
      | 'append'
      | 'expect'
      | 'usage'
      | 'server';
  }

  /**
   * One connection of one VU: opened by the first operation that needs it, opened anew by the next one after it broke, and
   * closed when the VU has no more use for it (the end of setup or teardown, of the client's step under client-sweep, or of the
   * test). Make it in the init context, once per VU; use it in functions.
   */
  export class Client {
    /**
     * Does not connect.
     *
     * @param url `machbase://user:password@host:port?option=value`. Options: timeout, connectTimeout, statementCache, fetchRows.
     *   What is not a plain letter or digit in user or password is written with encodeURIComponent.
     * @throws kind `usage`: an option is unknown or has a wrong value, or the url is not one of this form
     */
    constructor(url: string | null | undefined, options?: ClientOptions);
    constructor(options?: ClientOptions);

    /** The driver that speaks to the server, such as `"machgo"`. */
    readonly driver: string;
    /** The mode of the statement cache, from the options or the URL. */
    readonly statementCache: 'off' | 'auto';

    /**
     * Connects now, if that was not done yet.
     *
     * @throws kind `connect` or `auth`; `usage` in the init context, as all other methods but close
     */
    connect(): void;

    /**
     * Runs a query and returns its rows; with `rows: 'discard'` their number.
     *
     * Parameters and options that are frozen, with all that is in them (`Object.freeze`; dates as
     * `bind('datetime', date)`), are read once and not at every call: a twentieth less processor time for a small query.
     *
     * @param params of the question marks in the text
     * @throws kind `usage` when there are more or fewer parameters than question marks; any kind but `auth` and `connect` besides,
     *   and those too when it has to connect
     */
    query(sql: string, params: readonly Value[] | null | undefined, options: QueryOptions & { rows: 'discard' }): number;
    query(sql: string, params: readonly Value[] | null | undefined, options: QueryOptions & { rows: 'arrays' }): Rows<any[]>;
    query<T = { [column: string]: any }>(
      sql: string,
      params?: readonly Value[] | null,
      options?: QueryOptions & { rows?: 'objects' },
    ): Rows<T>;

    /**
     * Runs a statement that returns no rows, DDL included, and returns how many rows it changed (0 for DDL).
     *
     * @throws as query
     */
    exec(sql: string, params?: readonly Value[] | null, options?: ExecOptions): number;

    /**
     * Prepares a statement on this client's connection: executing it is one round trip.
     *
     * @throws kind `syntax`, `not_found` and others of the server
     */
    prepare(sql: string): Statement;

    /**
     * Opens an appender on a tag or log table. Other operations of the client may come in between; when the server has
     * rejected a row by then, it is they that fail, with kind `append`.
     *
     * @param options.columns the columns in the order in which rows bring their values, upper or lower case; what is left out
     *   becomes null. Default: all of them in the table's order (of a log table without `_arrival_time`, which is the time of
     *   arrival)
     * @throws kind `not_found` (code 0) when there is no such table or column, `usage` when a column is there twice or the
     *   table is of another kind
     */
    appender(table: string, options?: { columns?: string[] }): Appender;

    /** Closes the connection, waiting for a second at most. The next operation opens a new one. Does nothing without one. */
    close(): void;
  }

  /** A prepared statement. It outlives its connection: on a new one it is prepared anew by its next use. */
  export interface Statement {
    /** As {@link Client.query}, without the text. */
    query(params: readonly Value[] | null | undefined, options: QueryOptions & { rows: 'discard' }): number;
    query(params: readonly Value[] | null | undefined, options: QueryOptions & { rows: 'arrays' }): Rows<any[]>;
    query<T = { [column: string]: any }>(
      params?: readonly Value[] | null,
      options?: QueryOptions & { rows?: 'objects' },
    ): Rows<T>;

    /** As {@link Client.exec}, without the text. */
    exec(params?: readonly Value[] | null, options?: ExecOptions): number;

    /** Frees the statement on the server. A later use prepares it again. */
    close(): void;
  }

  /**
   * Writes many rows without an answer for each. An appender ends with its connection: after an error of kind `append`,
   * `connection` or `timeout` nobody but the server knows which rows it took, and every further call throws kind `connection`.
   */
  export interface Appender {
    /**
     * Appends rows. They are buffered and sent in groups.
     *
     * @throws kind `usage` when a row has more or fewer values than there are columns, or one that cannot be bound: the rows before it
     *   in this call may have been appended then, and the appender can still be used; kind `append` when a value does not fit its
     *   column
     */
    append(...rows: Value[][]): void;

    /**
     * Appends rows of the stock benchmark that are made in Go, and returns how many. Equal options give equal rows. The call as
     * a whole must end within the client's timeout.
     *
     * - `stock_tick`: code, time, price, volume, bid_price, ask_price
     * - `stock_rollup_1s`, `stock_rollup_1m`: code, time, sum_price, sum_volume, sum_bid, sum_ask, cnt, for each full second or minute
     *
     * @throws kind `usage`: an unknown name, or a range that ends before it starts
     */
    generate(name: 'stock_tick' | 'stock_rollup_1s' | 'stock_rollup_1m', options: GenerateOptions): number;

    /** Sends what is buffered. Appended rows can be seen a moment later, or after `exec table_flush(TABLE)`. */
    flush(): void;

    /**
     * Sends what is left, and returns how many rows the server accepted and rejected.
     *
     * @throws kind `append` with the server's code (1345: null in a column that must not have it, 1319: a text that is too long)
     *   when it rejected a row outright
     */
    close(): { accepted: number; rejected: number };
  }

  /** Options of {@link Appender.generate}. */
  export interface GenerateOptions {
    /** The first row's time. */
    from: Date | string;
    /** The time before which the rows end. A text is a date and time as in RFC 3339. */
    to: Date | string;
    /** Selects the data set. A whole number, default 0. */
    seed?: number;
    /** Ticks per second over all codes, from 0.01 to 1,000,000. Default 1000. */
    tps?: number;
  }

  /**
   * Makes a parameter of a type that the script chooses.
   *
   * `short`, `integer` and `long` take whole numbers and BigInts, `float` and `double` any number, `datetime` a Date, a number
   * of milliseconds since 1970 or a BigInt of nanoseconds, `ipv4` and `ipv6` a string, `binary` an ArrayBuffer or a string
   * (as UTF-8). null and undefined are null of any type.
   *
   * @throws kind `usage`: an unknown type, or a value that is none of the type or out of its range
   */
  export function bind(type: BindType, value: Value): TypedValue;

  const machbase: { Client: typeof Client; bind: typeof bind };
  export default machbase;
}
