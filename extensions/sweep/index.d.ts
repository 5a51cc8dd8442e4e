/**
 * Sweeps in k6. The executor `client-sweep` runs a scenario with one number of clients after the
 * other and measures each step. This module is for its scripts.
 *
 * ```js
 * import sweep from 'k6/x/sweep';
 *
 * export const options = sweep.options({
 *   scenario: 'lookups', clients: [1, 8, 64], iterations: 10000, warmup: '2s',
 * });
 *
 * export default function () {
 *   // Here a client connects; then all clients of the step start together.
 *   sweep.run(() => lookUp());
 * }
 *
 * export const handleSummary = (data) => sweep.report(data);
 * ```
 *
 * Metrics have the tags `scenario`, `clients` and `op`, in an open loop also `rate`, with variants
 * also `variant`. Gauges are sent once a second, for that second, and at the end of a step, for the
 * step: `sweep_ops_per_second`; `sweep_p50`, `sweep_p90`, `sweep_p95`, `sweep_p99`, `sweep_p999`,
 * `sweep_max`, `sweep_mean` in milliseconds, of successful operations; `sweep_clients_done`
 * (without `op`). Counters: `sweep_ops` counts finished operations, with the tag `outcome` (`ok` or
 * `failed`); `sweep_incomplete` (without `op`) counts incomplete steps; `sweep_failed` counts
 * failed operations (`allowFailed` limits their share). Samples of a warm-up have the tag `phase:
 * 'warmup'` and no tag `clients`. Outside of sweeps, `op` sends the Trend `sweep_op_duration` in
 * milliseconds, with the tags `op` and `outcome`, and the Rate `sweep_op_failed`, with the tag
 * `op`.
 *
 * k6 judges a Gauge by its last value, and treats missing samples as 0. A threshold on a Gauge
 * therefore has to name one step and operation, such as `sweep_p99{clients:64,op:get}`. The last
 * value of a step is the median of its repeats. In a search, it may leave the clients out and then
 * applies to the result. Any other threshold on a Gauge keeps the run from starting (exit code
 * 104), and the error shows what to write; operations that only the script knows are checked at
 * the end (99).
 *
 * A threshold without samples fails: before the run (104) when that is known by then, such as for a
 * number of clients that no step has, else at the end (99). This includes the metrics of other
 * modules, except Counters, which are really 0. Thresholds on latency or rate also fail without a
 * successful operation, and on a percentile with fewer than ten slower operations (p99 needs 1,000;
 * repeats count together, a pipeline counts once). k6's own summary may show such a threshold as
 * passed.
 */
declare module 'k6/x/sweep' {
  /**
   * Options of a scenario with the executor `client-sweep`, in addition to the options common to
   * all k6 executors. Times are strings with a unit, such as `'30s'`, or milliseconds, at least
   * 100.
   */
  export interface ClientSweep {
    executor: 'client-sweep';
    /**
     * The number of clients of each step. Steps run one after another. Exactly one of `clients`,
     * `rate` and `find` is required.
     */
    clients?: number[];
    /**
     * The steps of an open loop: how many operations start in each second. They start at
     * scheduled times, even when earlier ones have not ended. `preAllocatedVUs` clients share them,
     * for `duration`. Latency counts from the scheduled time, so that a stall is not hidden
     * (coordinated omission). The lateness of starts is in the report as well
     * (`openLoop.latenessMs`). If k6 itself started more than 1 % of the operations later than 10
     * ms, or than a tenth of p50, the step is `limited by: k6`, and latency gates are
     * undecided.
     *
     * Each call of the function is one scheduled operation. When it starts late, everything in it
     * counts from the scheduled time. A call that does many operations in Go (`client.run`,
     * `layout.run`, `row.run`, `requestBatch`) takes a scheduled time for each and waits for it. A
     * pipeline of n takes n, which are due with the first.
     *
     * An operation may start up to a twentieth of `duration` after its end (at least 100 ms, at
     * most 1 s). The step is incomplete if an operation did not start by then, or if fewer than 99
     * % started within `duration` because all clients were busy for most of it. The log, the notes
     * and the report (`openLoop`) have the achieved rate, the longest queue, and how long all
     * clients were busy.
     */
    rate?: number[];
    /**
     * Searches for the highest number of clients, or rate, within a limit. A step whose confidence
     * interval contains the limit is undecided, and its number is tried again. A number that stays
     * undecided is listed in the report (`search.undecided`) and is not the result. With
     * `precision` of the limited figure, such as `{ p99: '5%' }`, each step is as long as needed; a
     * step that `maxDuration` cuts does not miss the limit.
     */
    find?: Find;
    /** The number of clients of an open loop. It is fixed; `maxVUs` does not exist. */
    preAllocatedVUs?: number;
    /**
     * Operations of each client in each step. One of `iterations`, `duration`, `untilDone` and
     * `precision` is required.
     */
    iterations?: number;
    /**
     * The measured time of each step, at least 100ms. Active operations at its end are completed
     * and count in the latency. ops/s count the operations that ended in time. With fewer than 10
     * of them the step is too short to measure, and incomplete.
     */
    duration?: string | number;
    /**
     * Each step lasts until the work that its clients share is used up: until each client has
     * called `sweep.done()`, or a method such as hitRate of the cache modules has ended.
     * `maxDuration` cuts it.
     */
    untilDone?: boolean;
    /**
     * Each step lasts until its figures are precise enough. `'1%'` (or 0.01) means that the 95 %
     * interval of ops/s is within ±1 %, for each kind of operation. `{ opsPerSecond: '1%', p99:
     * '5%' }` includes p99. From 0.1 % to 50 %. In a duet it is the precision of the ratio of
     * change to base. A step takes at least 3 s. If `maxDuration` ends it, it is incomplete, and
     * the log has the precision reached. The warm-up (default 1 s) is extended by up to `quiet`
     * until the latency is steady, before each step. Not with `rate`, execution segments,
     * `portable`, or relative gates.
     */
    precision?: number | string | { opsPerSecond?: number | string; p99?: number | string };
    /** Unmeasured work of the clients before the start line. Default: none; 1s with `precision`. */
    warmup?: string | number;
    /**
     * How often each step runs: all steps once, then all again, so that a drift of the machine
     * affects all steps. In a search, the least number. Default: 1.
     */
    repeats?: number;
    /**
     * Names of variants to compare, or of successive parts of the work. Every step runs once for
     * each variant. Every second repeat has the opposite order, so that drifts affect all variants.
     * `step()` returns the current variant. The default name of operations is the variant's. Not
     * with `find`, `op` and `portable`.
     */
    variants?: string[];
    /** Idle time between two steps. Default: none. */
    pause?: string | number;
    /**
     * The longest wait for an idle server before the first step, because the server may still work
     * on earlier data. Default: 1m; `'0s'`: no wait. A server on this machine (`meta`:
     * `target.url`) is idle when it uses less than 5 % of a core for a second, or less than 15 % at
     * a constant level for ten seconds. For a remote server, the first warm-up (`warmup`, closed
     * loop) is extended until its latency is steady. The report has the result as `quiet`. A server
     * that stays busy is measured anyway, with a note. There is no wait while other scenarios are
     * active, in execution segments, and with `portable`; use a later `startTime` there.
     */
    quiet?: string | number;
    /**
     * How long to measure a step again while a neighbour disturbs it (`limited by`). The report has
     * the last attempt. Default: none. Not with `portable`.
     */
    waitCalm?: string | number;
    /**
     * Cuts a step, with connecting and warm-up. The step is then incomplete. Default: 10m. An
     * extension of the warm-up by `quiet` does not count.
     */
    maxDuration?: string | number;
    /**
     * How long active operations may continue after maxDuration; later ones fail. Default: 30s; 5s
     * with `portable`, where each step's window is longer by it.
     */
    gracefulStop?: string | number;
    /**
     * The name of another sweep that has to end first. Default: none. A sweep that begins while
     * another one is active logs that.
     */
    after?: string;
    /**
     * The reaction to a failed operation. `count` (default) counts it and continues. `abort` ends
     * the test at the first failure of a measured phase, exit code 108.
     *
     * With `count`, the test also ends with exit code 108 when no operation can succeed: none has
     * so far, and every client of the step has failed with the same error (apart from numbers in
     * it), for a second and ten times in all, or for five seconds. Warm-up and connecting count.
     * `continue` never ends the test. Portable steps see failures within `run` only.
     */
    onError?: 'count' | 'continue' | 'abort';
    /**
     * Allows failed operations with exit code 0: `true`, or a share of each step's operations, such
     * as `0.01` or `'1%'`. Default: failed operations give exit code 110, unless a threshold on
     * `sweep_failed` decides. The same holds for incomplete steps and `sweep_incomplete`, and for a
     * run without a successful operation unless `onError` is 'continue'.
     */
    allowFailed?: boolean | number | string;
    /** The default name, and tag `op`, of operations. Default: the scenario's name. */
    op?: string;
    /**
     * The names passed to `op(name, fn)`, to check gates before the run. Any other name then ends
     * the test, exit code 104.
     */
    opNames?: string[];
    exec?: string;
    env?: Record<string, string>;
    tags?: Record<string, string>;
    startTime?: string;
  }

  /**
   * A search. It doubles the number until the limit is missed or `max` is reached, then halves the
   * interval until the result is known to 2 % (whole numbers below 50 exactly). A step with
   * failures, or an incomplete one, misses the limit and counts twice. Every kind of operation has
   * to meet it. Steps that are too short to measure are judged as they are. A search that finds
   * nothing gives exit code 110.
   *
   * Single steps are noisy. Each number is tried again (at least
   * `repeats` times; at most 8 times, or `repeats` if that is more)
   * until one side leads by two steps, and by four at both ends of the result. If a step is right
   * four times of five, a number is decided wrongly once in 17, an end once in 257, and one search
   * in 20 misses the right result. A step far within the limit counts twice. The report has the
   * result, and as `search.bracket` the highest number that is certainly within the limit and the
   * lowest that certainly is not.
   *
   * A step that misses the limit, maybe because of a neighbour, is no proof that its number is
   * too high, but counts against it. If an end of the result stays unsure for that reason, the
   * search is undecided, with exit code 110.
   *
   * With `max: 512`, a search takes 20 to 40 steps on a calm machine, and at most 132 on a busy
   * one.
   */
  export interface Find {
    /** `clients` (default) or `rate`. */
    of?: 'clients' | 'rate';
    /** The first number. Default: 1 client, or a 128th of the highest rate. */
    min?: number;
    /** The highest number. */
    max: number;
    /** The limits, with a unit, such as `'5ms'`; at least one. */
    p50?: string;
    p90?: string;
    p95?: string;
    p99?: string;
    p999?: string;
    mean?: string;
  }

  /** A published result. */
  export interface Series {
    /** What was measured, such as `'machgo, statement reuse'`. */
    label: string;
    /** Where it was published. */
    source: string;
    /** The machine, as far as known. */
    machine: string;
    /** The kind of operation. */
    op: string;
    points: { clients: number; opsPerSecond: number }[];
  }

  /**
   * Returns k6's `options` for one sweep: `{ scenarios, thresholds }`. A script may add to them.
   * Besides the options of `client-sweep` it takes:
   *
   * - `scenario`: its name, and the name of the report's files. Default: `'default'`.
   * - `gates`: the path of a gate file, see `gates`.
   * - `thresholds`: k6's own thresholds.
   * - `portable`: true writes the steps as scenarios of k6's executor per-vu-iterations in windows
   *   of time, for example for Grafana Cloud. A window is as long as `maxDuration` or, without it,
   *   warm-up, duration and 10 s; a step that takes longer is incomplete. The function has to call
   *   `run`; k6 handles exceptions outside of it. Not with `rate` and `find`.
   *
   * Failed operations and incomplete steps cross a threshold (exit code 99), unless `allowFailed`
   * or `thresholds` decide otherwise. The sweeps of an array run one after another.
   *
   * Settings override the options, unless the script reads a setting of that name itself: `-e
   * CLIENTS=1,8`, `RATE=100,1000` or `FIND='p99<5ms,max=256'`; `ITERATIONS`, `DURATION` or
   * `PRECISION`; `WARMUP`, `REPEATS`, `PAUSE`, `QUIET`, `WAIT_CALM`,
   * `MAX_DURATION`, `PORTABLE`; `GATES=FILE` or `GATE='p99<2ms'`; `RESULTS`; `CHANGE_NAME` and
   * `BASE_NAME` of a duet. A setting of `-e` that nothing reads ends k6.
   *
   * An invalid option ends k6 before the test, exit code 104, with an error that names it.
   */
  export function options(options: SweepOptions | SweepOptions[]): MadeOptions;

  /** The result of `options`. */
  export interface MadeOptions {
    scenarios: Record<string, object>;
    thresholds: Record<string, unknown[]>;
  }

  /** The argument of `options`. */
  export interface SweepOptions extends Omit<ClientSweep, 'executor'> {
    scenario?: string;
    gates?: string;
    thresholds?: Record<string, unknown[]>;
    portable?: boolean;
  }

  /**
   * Reads a gate file and its baseline. The gates are judged at the end of the scenario that the
   * file names. k6 exits with 99 if one is crossed or there is no such scenario, else with 110 if
   * one is undecided, whatever its own thresholds say, also with `--no-thresholds`. A missing,
   * empty or incomplete step is crossed. A gate is undecided if the run cannot answer: a percentile
   * with fewer than 10 slower operations, a baseline that does not fit, runs that differ too much.
   * It passes only with `"undecided": "pass"` in the file. `path` is relative to the script. The
   * file's form: thresholds/README.md.
   *
   * @throws SweepError that names the file and the mistake
   * @throws TypeError outside of the init context
   */
  export function gates(path: string): void;

  /** What a function of `run` may return: anything but a promise. */
  export type Done =
    void | undefined | null | boolean | number | bigint | string | symbol | (object & { then?: never });

  /**
   * Waits until all clients of the step have called it, then calls `fn` for each operation of this
   * client's share. Code before it, such as connecting, is not measured. It returns when all
   * clients of the step are done, so that later code does not disturb the measurement; in a
   * portable step, when this client is done. Call it once in a scenario's function.
   *
   * The loop is in Go: an operation costs one call of `fn`, one reading of the clock and one
   * increment. Memory does not grow with the number of operations. An exception of `fn` counts as a
   * failed operation; each different text is logged once. These fail it as well:
   *
   * - a failed `check`;
   * - a response that k6 counts as failed (`http_req_failed`, see `http.setResponseCallback`) or
   *   that never came, a gRPC status other than OK, and a WebSocket that cannot be opened. The
   *   samples of a sweep always have the system tag `status`. With `portable` and under k6's own
   *   executors, a gRPC call that runs into its own `timeout` is not seen: check its status there.
   *
   * An exception that `fn` catches does not count. Anything before and after `run`, and around the
   * operations of `op`, is not part of an operation.
   *
   * A function that does not call it works as well: the executor calls that function again for each
   * operation. The first call, which connects, is not measured. If only some clients call `run`,
   * the step is incomplete.
   *
   * With two functions it is a duet: all clients alternate between `base` and `change`, in slices
   * of 5 ms to 500 ms and in random order, so that disturbances hit both. Each variant has its own
   * step in the report (`variant` is `base` or `change`). `duets` has the ratios of ops/s, mean,
   * p50 and p99, their 95 % intervals, and the smallest detectable change. An operation belongs to
   * the variant that began it. Each client calls both at least twice before the start line. Samples
   * have the tag `variant`.
   *
   * ```js
   * sweep.run({ base: () => old.get('key'), change: () => next.get('key') });
   * ```
   *
   * Without `base`, or with one that is undefined, it is no duet.
   *
   * A duet with `find`, `variants`, `portable` or execution segments ends the test, exit
   * code 104. So does a step in which only some clients run a duet.
   *
   * Under another executor (except in portable steps) it ends the test, exit code 104. k6's options
   * `vus`, `duration`, `iterations` and `stages`, wherever they are set, replace a script's
   * scenarios, sweeps too.
   *
   * @throws TypeError when `fn` is neither a function nor `{ base, change }`
   * @throws SweepError at a second call in one step, and when `fn` returns a promise, or leaves a
   *   promise or a timer behind
   */
  export function run(fn: (() => Done) | { base?: () => Done; change: () => Done }): void;

  /**
   * The start line of an `async` function, instead of `run`. Every client's first call of the
   * function connects and is not measured. `ready` is fulfilled when all clients have called it, or
   * have finished that call. Each later call of the function is one operation, in which `ready` is
   * fulfilled immediately.
   *
   * ```js
   * export default async function () {
   *   await client.asyncConnect();
   *   await sweep.ready(); // nobody works while others still connect
   *   await client.asyncGet('key');
   * }
   * ```
   *
   * It is rejected with a SweepError outside of a step, and when the step ends.
   */
  export function ready(): Promise<void>;

  /**
   * Reports that the work shared by the step's clients, such as the messages of a queue, is used
   * up. It ends this client's share; each client has to call it. The current call of `fn` is not an
   * operation if it recorded none.
   *
   * @throws SweepError outside of what `run` calls in the measured phase of a step with `untilDone`
   */
  export function done(): void;

  /**
   * Calls `fn`, counts the call as one operation named `name`, and returns the result. An exception
   * of `fn` counts as a failure and is thrown again. If `fn` returns a promise, the operation ends
   * when it settles. A failed check or an error response also fails the operation and those around
   * it, without an exception; see `run`. With several pending promises, it fails the operation
   * that ends first.
   *
   * In a sweep, a call of the scenario's function that names operations is not an operation itself.
   * Under k6's own executors, in `setup()` and in `teardown()`, an operation is a sample of the
   * Trend `sweep_op_duration` and of the Rate `sweep_op_failed`, for the summary and for thresholds
   * such as `sweep_op_failed: ['rate==0']`. With `k6 run -o sweep=results` it is an operation of
   * the report. There, a failed check or response fails it, and an operation that is cut off at the
   * end of its iteration is not counted.
   *
   * @throws TypeError for other arguments, and in the init context
   */
  export function op<T>(name: string, fn: () => T): T;

  /** The current step. */
  export interface Step {
    /** The scenario's name; with `portable`, the sweep's. */
    scenario: string;
    clients: number;
    /** Operations a second asked for; null in a closed loop. */
    rate: number | null;
    /** The repeat of the step, from 1. */
    repeat: number;
    /** Null without `variants`, and in a duet. */
    variant: string | null;
    /** The default name of operations. */
    op: string;
    /** `warmup` until the start line, also while clients connect; then `measure`. */
    phase: 'warmup' | 'measure';
  }

  /**
   * The current step of the VU; null outside of a step, such as in `setup()` and under k6's own
   * executors.
   */
  export function step(): Step | null;

  /**
   * Adds a mark with the current time, such as `sweep.mark('failover')`. The page shows it on the
   * time axis of all active steps, and the JSON has it in `marks`. Another scenario of the test may
   * call it. The same text within a second is one mark with a count. A report has at most 1,000
   * marks. It throws a TypeError for anything but a string of 1 to 200 characters, and in the init
   * context.
   *
   * `marks` also has events, with a `kind`: `reconnect`, a client connected again after the start
   * line; `restart`, the server of `target.url` on this machine exited or started again;
   * `influxdb`, the output `sweep-influxdb` could not write points, or could again.
   */
  export function mark(text: string): void;

  /**
   * Adds facts to the report. Call it in `setup()`. Later calls add to earlier ones.
   *
   * `scenario` limits the facts to one scenario; default: all.
   *
   * `target` is the measured server: `kind`, `version`, `driver`, `url`. Passwords and tokens in
   * `url` are removed. If the URL names a server on this machine, the report has its CPU time: of
   * the processes that listen at that address and port, and their children. `base` has what differs
   * for a duet's base, such as its `url`; the report has it as `target.base`. `params` are the
   * script's parameters. `published` are published results, which the page shows scaled to this
   * run.
   *
   * `cache` is for caches that report hits and misses: the server's memory limit and the average
   * size of an item, key and value together, in bytes. Steps then have the published figures of
   * hits by memory (`steps[].extra`). They need the peak resident memory of the server (VmHWM),
   * which is read from /proc for `pids`, else for the process that listens at `target.url`; for a
   * remote server, give it as `vmHwm` in bytes. It counts from the scenario's start if this user
   * may reset it (the server's own user), else from the server's start: see `extra.vmHwmSince`. If
   * it is unknown, those figures are left out.
   *
   * `results` is the folder of the report, by default the setting RESULTS, else "results". It is
   * created and checked now, so that no sweep ends without a report. `name` replaces `scenario` in
   * file names, such as `'lookup-redis'`, so that runs with two targets have separate reports.
   *
   * @throws TypeError for an unknown fact, a parameter with the name of an executor's option, a
   *   `name` without `scenario`, or an invalid `url`
   * @throws SweepError when `results` is not writable
   */
  export function meta(facts: {
    scenario?: string;
    target?: Record<string, unknown>;
    base?: Record<string, unknown>;
    params?: Record<string, unknown>;
    published?: Series[];
    cache?: { memory: number; item: number; pids?: number[]; vmHwm?: number };
    results?: string;
    name?: string;
  }): void;

  /**
   * A setting: its default (`1000`, `true`, `'60s'`, `'text'`; `null` for a text without one),
   * `[1, 8, 64]` for a list of integers, `['get', 'set']` for one of these words, by default the
   * first; or a description with a default (`usual`) and bounds. `from` of a duration is in
   * milliseconds, and a duration is more than 0 without it. `someOf` is a list of these words, by
   * default all; `sharesOf` is `get:91,set:9`, read as `{ get: 91, set: 9 }`.
   */
  export type Setting =
    | null | boolean | number | string | number[] | string[]
    | {
      /** bytes, duration, flag, integer, integers, number or text; by default that of `usual`. */
      type?: string;
      usual?: unknown;
      from?: number;
      to?: number;
      oneOf?: string[];
      someOf?: string[];
      sharesOf?: string[];
    };

  /**
   * Reads the settings of a script: `-e NAME=value`, else the environment variable `SWEEP_NAME`,
   * else the default. Empty values do not count. The prefix keeps other variables of a shell or CI
   * system, such as `SECONDS`, from changing the run. Settings that begin like an address, such as
   * `REDIS_URL` and `REDIS_PID`, have no prefix in the environment.
   *
   * ```js
   * const env = sweep.settings({ REDIS_URL: 'redis://a', KEYS: 9 }, { base: ['REDIS_URL'] });
   * ```
   *
   * An invalid value, and a name that is neither one of these nor a setting of `options`, ends k6
   * with one line (exit code 104).
   *
   * @param limits `sweep`: the settings of `options` that the script accepts, by default all.
   *   `base`: the settings in which the base of a duet may differ. The result then has `base`, the
   *   same settings with the values of the base, if `BASE_URL`, `BASE_` and the name of an address,
   *   or `BASE` (such as `TIMEOUT=1s`) is given; `BASE_URL` stands for all addresses
   * @throws TypeError for an invalid declaration
   */
  export function settings<T extends Record<string, Setting>>(
    settings: T,
    limits?: { sweep?: string[]; base?: string[] },
  ): { [K in keyof T]: any } & { base?: { [K in keyof T]: any }; BASE_URL?: string };

  /**
   * Ends k6 with one line and the exit code of an invalid configuration (104), for an invalid
   * setting.
   *
   * ```js
   * if (!(seconds > 0)) sweep.refuse(`SECONDS must be a number above 0, but is "${seconds}"`);
   * ```
   *
   * @throws SweepError with that text after the init context
   */
  export function refuse(text: string): never;

  /** An operation of a YCSB workload. */
  export interface YCSBOperation {
    op: 'READ' | 'UPDATE' | 'INSERT' | 'SCAN' | 'READ-MODIFY-WRITE';
    /** The key of the record; of a scan, of the first one. */
    key: string;
    /** The fields to be read; null: all. */
    fields: string[] | null;
    /** The fields to be written, and their values. */
    values: Record<string, string>;
    /** How many records a scan reads; else 0. */
    length: number;
  }

  /** A YCSB workload, from which a script takes one operation after another. */
  export interface YCSB {
    /** The operations that have a share. */
    ops: YCSBOperation['op'][];
    /** The next operation of this VU. */
    next(): YCSBOperation;
    /** The insert of a record that has not been loaded yet; null where there are none left. */
    record(): YCSBOperation | null;
    /**
     * Reports that the insert which `next` has returned is done. Without it the insert has failed
     * when `next` is called again, and its record is never read.
     */
    inserted(): void;
    /**
     * Throws where a row is not the record of a key: it has too few fields or, with
     * `dataIntegrity`, other values.
     *
     * @param row an object of the fields, or null where there is no such record
     */
    check(key: string, row: Record<string, unknown> | null | undefined): void;
  }

  /**
   * A core workload of YCSB, for stores whose client has no `client.ycsb`.
   *
   * @param store a name: VUs with equal options and names insert into one workload
   */
  export function ycsb(options: XK6SweepYCSB.Workload, store?: string): YCSB;

  /**
   * The error of this module besides TypeError. `usage`: an invalid call or file; `not_found`: no
   * such file; `cancelled`: the step or the test has ended.
   */
  export interface SweepError extends Error {
    name: 'SweepError';
    kind: 'usage' | 'not_found' | 'cancelled';
    /** Always 0, because there is no server. */
    code: number;
  }

  /** A table that a script makes from the figures. */
  export interface Table {
    /** Unique in the report. */
    title: string;
    columns: {
      name: string;
      /** The unit of its numbers, such as `'MB/s'`, shown after the name. */
      unit?: string;
      /** Which numbers are better. */
      better?: 'higher' | 'lower';
      /**
       * The number of decimals shown; the report has all. Default: at least three significant
       * digits.
       */
      digits?: number;
    }[];
    /** A cell for each column. Null, undefined and NaN are shown as a dash. */
    rows: (string | number | null | undefined)[][];
    /** Sentences below the table. */
    notes?: string[];
  }

  /**
   * Writes the files `<scenario>.json`, `.md`, `.csv`, `.bench.txt` (Go benchmark format),
   * `.junit.xml` and `.html` to `dir`, which is created if missing. Its default is the folder from
   * `meta`, else the setting `RESULTS`, else "results". It returns the tables of all scenarios on
   * standard output, for `handleSummary`. All files of a scenario are replaced together. An earlier
   * good report moves to the folder `previous` in `dir`; a failed run leaves it in place and writes
   * its own report to `failed`. If files cannot be written, the table and the reason are printed,
   * and the exit code is not 0.
   *
   * A script that does not call it gets its files and its table too, next to k6's own summary.
   * Until then, each finished step is saved in `<scenario>.partial.json` in that folder, as an
   * interrupted report.
   *
   * @param data the argument of `handleSummary`. The results of k6's thresholds go into the report
   * @param options `tables` is called for each scenario with its report, in the form of the
   *   `.json`, and returns tables for the report. They are on standard output, in the `.md`, on the
   *   page, in the `.csv` (a line for each cell, with `table`, `table_row`, `table_column` and
   *   `table_value`), and in the `.json` as `tables`. `together` names one more page and Markdown
   *   that compares 2 to 8 scenarios of this run: those whose names begin with it and a hyphen, or
   *   all where none does
   */
  export function report(
    data: unknown,
    options?: {
      dir?: string;
      tables?: (report: any) => Table[];
      together?: string;
    },
  ): Record<string, string>;

  /** The module, also under its name. Called, it is `sweep.options`. */
  export const sweep: {
    (options: SweepOptions): MadeOptions;
    options: typeof options;
    gates: typeof gates;
    run: typeof run;
    ready: typeof ready;
    done: typeof done;
    op: typeof op;
    step: typeof step;
    meta: typeof meta;
    report: typeof report;
    mark: typeof mark;
    settings: typeof settings;
    refuse: typeof refuse;
    ycsb: typeof ycsb;
  };
  export default sweep;
}
