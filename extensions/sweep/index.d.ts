/**
 * Sweeps in k6: the executor `client-sweep` runs a scenario with one number of clients after the
 * other and measures each step; this module lets scripts take part in it.
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
 * Metrics, tagged with `scenario`, `clients` and `op`, in an open-loop step also with `rate`, in a
 * step of a variant also with `variant`. Gauges go out once a second (of
 * that second) and at the end of a step (of the whole step): `sweep_ops_per_second`; `sweep_p50`,
 * `sweep_p90`, `sweep_p95`, `sweep_p99`, `sweep_p999`, `sweep_max`, `sweep_mean` in milliseconds,
 * of successful operations; `sweep_clients_done` (without `op`). Counters: `sweep_ops`, operations
 * that have ended, with the tag `outcome` (`ok` or `failed`), and `sweep_incomplete` (without
 * `op`), which counts steps in which not every client did its whole share or that are too short to
 * measure (see `duration`); `sweep_failed`, operations that failed (`allowFailed` bounds their
 * share).
 * `sweep_duration`, a Trend in milliseconds, has every single operation where `raw` asks for it.
 * What modules emit in a warm-up has the tag `phase: 'warmup'` and no tag `clients`.
 * Outside of sweeps `op` has a Trend in milliseconds, `sweep_op_duration`, with the tags `op` and
 * `outcome`, and a Rate of operations that failed, `sweep_op_failed`, with the tag `op`.
 *
 * k6 judges a Gauge by its last value, and what has no sample as 0. A threshold on a Gauge
 * therefore names one step and operation, such as `sweep_p99{clients:64,op:get}`: the last value is
 * the median of its repeats. Without a number, that of a search is the step that was found. Where
 * there are several steps, `sweep_p99` does not start the run (exit code 104, and the error says
 * what to write); several operations that only the script knows are found at its end (99).
 *
 * A threshold on what is never sent does not pass. Where that is known before the run, such as of a
 * number of clients that no step has, of `sweep_duration` without `raw`, or of an operation that is
 * not in `opNames`, the run does not start (104). Else the run fails at its end (99), whatever
 * module its metric is of: but a Counter that is not a sweep's and never counted is 0. So it does
 * with thresholds on latencies and rates of a step without a successful operation, and with those
 * on a percentile that fewer than ten operations of the step exceed (p99 needs 1,000 operations,
 * repeats together; a pipeline counts as one). k6's own summary may call such a threshold held.
 */
declare module 'k6/x/sweep' {
  /**
   * Options of a scenario with the executor `client-sweep`, beside those that all k6 executors
   * have. Times are strings with a unit, such as `'30s'`, or numbers of milliseconds from 100 on.
   */
  export interface ClientSweep {
    executor: 'client-sweep';
    /**
     * The steps: how many clients each has. Steps run one after another, each as soon as the one
     * before has ended. Either this, or `rate`, or `find`.
     */
    clients?: number[];
    /**
     * The steps of an open-loop sweep: how many operations start in each `timeUnit`, whether those
     * before have ended or not. `preAllocatedVUs` clients share them, for `duration`. Latency
     * counts from the time at which an operation was due, whoever was late with it, so that a stall
     * is not hidden (coordinated omission). How late operations started is a figure of its own as
     * well (`openLoop.latenessMs` in the report). Where k6 itself started more than 1 % of them
     * later than 10 ms, or a tenth of p50, the step is `limited by: client`, and its latencies hold
     * no gate.
     *
     * Each call of the function is one of these operations. All that a call does which starts late
     * counts as begun so much earlier. A call that does many operations in Go (`client.run`,
     * `layout.run`, `row.run`, `requestBatch`) takes a place for each, and waits until it is due;
     * a pipeline of n takes n, which are due with the first.
     *
     * An operation may still start for a twentieth of `duration` after its end (100 ms at least, 1
     * s at most). What has not started by then is not done: the step is incomplete, as it is when
     * fewer than 99 % have started within it because for most of it all clients were busy. The log,
     * the table's notes and the report (`openLoop`) say what rate was achieved, how long the queue
     * was, and for how long all clients were busy.
     */
    rate?: number[];
    /**
     * The time that `rate` is for. Default: 1s. The tag `rate` and the report always have
     * operations a second.
     */
    timeUnit?: string | number;
    /**
     * A search for the highest number of clients, or rate, that keeps a bound. A step says nothing
     * where the interval of its figure holds the bound: its number is tried again, and is named as
     * undecided in the report (`search.undecided`) where that does not help. It is not taken for
     * the answer then. `precision` of the figure that is bounded, such as `{ p99: '5%' }`, makes
     * each step as long as that takes; one that `maxDuration` cuts does not break the bound.
     */
    find?: Find;
    /**
     * How many clients share the operations of an open-loop step. There are no more of them, and so
     * no `maxVUs`.
     */
    preAllocatedVUs?: number;
    /**
     * How many operations each client does in each step. Either this, or `duration`, `untilDone`
     * or `precision`.
     */
    iterations?: number;
    /**
     * For how long each step is measured, at least 100ms. Operations under way at its end are done,
     * and counted in the latency; ops/s are those that ended within this time by this time.
     * A step in which fewer than 10 operations end is too short to measure, and incomplete.
     */
    duration?: string | number;
    /**
     * Each step goes on until nothing is left of what its clients share, instead of `iterations` or
     * `duration`: until each of them has called `sweep.done()`, or a method such as hitRate of the
     * caches' modules has found so. `maxDuration` cuts it.
     */
    untilDone?: boolean;
    /**
     * How well the figures are to be known, instead of a number or a time: `'1%'` (or 0.01)
     * measures each step until the interval of 95 % of its ops/s is 1 % to either side, and
     * `{ opsPerSecond: '1%', p99: '5%' }` until that of p99 is as narrow as asked as well; from
     * 0.1 % to 50 %. Of a step with several kinds of operations, those of each kind. Intervals
     * respect that what follows each other hangs together; the clients do so much that one
     * operation of each is less than the precision. It takes 3 s at least. What is not known by
     * `maxDuration` is an incomplete step, and the log says how well it is known. The warm-up, 1 s
     * where none is given, is prolonged by `quiet` at most until the latency neither rises nor
     * falls, before every step. In a duet it is the ratio of change to base that is to be known so
     * well. Not with `rate`, execution segments, `portable` and relative gates, whose intervals do
     * not allow for a step that ends when they are narrow.
     */
    precision?: number | string | { opsPerSecond?: number | string; p99?: number | string };
    /**
     * How long the clients work before the start line, unmeasured. Default: not at all; 1s with
     * `precision`.
     */
    warmup?: string | number;
    /** How many operations each client does before the start line, instead of a time. */
    warmupIterations?: number;
    /**
     * How many times each step is run; in a search, at least. Default: 1.
     */
    repeats?: number;
    /**
     * `grouped` (default): all repeats of a step, then the next step. `interleaved`: all steps
     * once, then all of them again, so that a machine which gets slower meanwhile does so for all
     * steps.
     */
    repeatOrder?: 'grouped' | 'interleaved';
    /**
     * In which order the steps run. `listed` (default): as `clients` or `rate` lists them.
     * `random`: in a random order, so that what changes with time does not look like an effect of
     * the clients; with `interleaved` repeats, each round in an order of its own. Repeats of
     * `grouped` ones, and variants, stay together. Tables are sorted by clients and rate all the
     * same. Not with `find` and `portable`.
     */
    order?: 'listed' | 'random';
    /**
     * An integer that gives the same random order again; the report's `params.orderSeed` has it.
     * Drawn for each run when not given; execution segments must all be given the same.
     */
    orderSeed?: number;
    /**
     * Whether the tables have columns that say how well ops/s, p50 and p99 are known, such as
     * `1.2 %` to either side, or `-2.0 +9.0 %`: the step's true figure is within it in 95 of 100
     * cases. What follows each other hangs together, and intervals respect that. A dash is where a
     * step has done too little. Default: true with `precision`, else false: the table has the
     * published columns and no more. The JSON and the CSV have intervals always, and so have the
     * charts of the page.
     */
    intervals?: boolean;
    /**
     * Names of ways to do the same work that are compared, or of parts of it that come one after
     * another. Each has steps of its own, with a time of their own: every step is run once for each
     * variant, in turns. Every second repeat has them in the opposite order, so that what changes
     * meanwhile changes for all of them. The scenario's function asks `step()` which one its step
     * is of; operations that nobody named have the variant's name. Not with `find`, `op` and
     * `portable`.
     */
    variants?: string[];
    /** The rest between two steps. Default: none. */
    pause?: string | number;
    /**
     * How long the sweep waits at most until its target is at rest, before its first step is
     * measured: it may still work on what was loaded before, or in `setup()`. Default: 1m; `'0s'`:
     * not at all. A server on this machine (see `meta`: `target.url`) is at rest when it uses less
     * than 5 % of a core for a second or, as one that always does something, less than 15 % and the
     * same for ten seconds. Of a server elsewhere the first warm-up (`warmup`, a closed loop) is
     * prolonged until its latency neither rises nor falls. What came of it is `quiet` in the
     * report; a target that never was at rest is measured all the same, with a note. There is no
     * wait beside other scenarios that are at work, in execution segments, which have to start
     * together, and with `portable`, whose steps have their times before the run begins: let
     * `startTime` be late enough there.
     */
    quiet?: string | number;
    /**
     * Cuts a step, counted from its beginning: connecting, warm-up and measured phase together. The
     * step is then reported as incomplete. Default: 10m. What a warm-up takes longer because of
     * `quiet` does not count.
     */
    maxDuration?: string | number;
    /**
     * How long operations that are under way at maxDuration may still take; then they count as
     * failed. Default: 30s, and 5s with `portable`, where each step's window is that much longer.
     */
    gracefulStop?: string | number;
    /**
     * The name of another scenario with this executor that has to end before this one begins.
     * Default: none; a sweep that begins while another one is at work says so.
     */
    after?: string;
    /**
     * What a failed operation does: `count` (default) counts it and goes on; `abort` ends the whole
     * test at the first one of a measured phase, exit code 108.
     *
     * With `count` the whole test ends as well, with one line that says why and the same exit code,
     * when it is clear that nothing can succeed: no operation of the scenario has, and every client
     * of the step has failed, warm-up and attempts to connect included, all with one cause (texts
     * that differ in numbers only are one), for a second and ten times in all, or for five seconds.
     * `continue` goes on even then. Portable steps know of failures within `run` only.
     */
    onError?: 'count' | 'continue' | 'abort';
    /**
     * What makes an operation fail, beside an exception, which always does. Default: all of them.
     *
     * - `'check'`: a `check` that fails.
     * - `'response'`: a response that k6 counts as failed (`http_req_failed`, see
     *   `http.setResponseCallback`) or that never came, a gRPC status other than OK, and a
     *   WebSocket that cannot be opened. The samples of a sweep have the system tag `status`, also
     *   where `systemTags` leaves it out. With `portable` and under k6's own executors nothing
     *   tells of a gRPC call that runs into its own `timeout`: check its status there.
     *
     * An exception that the function itself catches is none: the function says that it can go on.
     *
     * What happens before and after `run`, and around the operations of `op`, is no part of an
     * operation.
     */
    failOn?: ('exception' | 'check' | 'response')[];
    /**
     * Lets a run with failed operations end with exit code 0: `true`, or the share of a step's
     * operations that may fail, such as `0.01` or `'1%'`. Default: it is marked as failed, exit
     * code 110, unless a threshold on `sweep_failed` decides. A run with an incomplete step is
     * marked, too, unless one on `sweep_incomplete` decides. So is a run in which no operation
     * succeeded, unless `onError` is 'continue'.
     */
    allowFailed?: boolean | number | string;
    /**
     * Sends every single duration to k6, as the Trend `sweep_duration`. k6 keeps them all in
     * memory: 70 to 120 bytes an operation. Default: histograms, whose size does not depend on the
     * number of operations.
     */
    raw?: boolean;
    /** The name of the operations that nobody named, the tag `op`. Default: the scenario's name. */
    op?: string;
    /**
     * The names that `op(name, fn)` gives to operations, so that gates are checked before the run.
     * Another name then ends the test, exit code 104.
     */
    opNames?: string[];
    exec?: string;
    env?: Record<string, string>;
    tags?: Record<string, string>;
    startTime?: string;
  }

  /**
   * A search. The number is doubled until a bound breaks or `max` is reached; then what is between
   * is halved until the answer is known to 2 % (whole numbers below 50 exactly). A step in which an
   * operation fails or that is incomplete breaks the bound, and counts twice; so does one kind of
   * operation of several break it. A step that is too short to measure is judged by its figures as
   * they are. A search that finds nothing is marked as failed, exit code 110.
   *
   * Single steps are noisy: each number is tried again (at least `repeats` times, at most 8 where
   * that is more) until two more of its steps say the one than the other, and the two numbers at
   * the ends of what is left until four more do. Where a step is right four times of five, a number
   * is decided wrongly once in 17, an end once in 257, and of 20 searches one ends beside the
   * answer. A step with at most half of the slow operations that the bound allows, and at least 10
   * allowed, counts twice. The report has what was found, and `search.bracket`: the highest number
   * that surely keeps the bound, and the lowest that surely does not.
   */
  export interface Find {
    /** What is varied: `clients` (default) or `rate`. */
    of?: 'clients' | 'rate';
    /** The first number that is tried. Default: 1 client, or a 128th of the highest rate. */
    min?: number;
    /** The highest number that is tried. */
    max: number;
    /**
     * The bounds, each with its unit, such as `'5ms'`; at least one. Files of gates have the same.
     */
    p50?: string;
    p90?: string;
    p95?: string;
    p99?: string;
    p999?: string;
    mean?: string;
  }

  /** A result that somebody else has published. */
  export interface Series {
    /** What was measured, such as `'machgo, statement reuse'`. */
    label: string;
    /** Where it was published. */
    source: string;
    /** On what it was measured, as far as that is known. */
    machine: string;
    /** The kind of operation that it is of. */
    op: string;
    points: { clients: number; opsPerSecond: number }[];
  }

  /**
   * Builds k6's `options` for one sweep: `{ scenarios, thresholds }`, to which a script may add
   * more. It takes the options of `client-sweep` and:
   *
   * - `scenario`: its name, and that of the report's files. Default: `'default'`.
   * - `gates`: the path of a file of gates, see `gates`.
   * - `thresholds`: k6's own thresholds.
   * - `portable`: true for the same steps as scenarios of k6's own executor per-vu-iterations, in
   *   windows of time, for places that know only those, such as Grafana Cloud. The window of a step
   *   is its `maxDuration` or, where there is none, warm-up, duration and 10 s; a step that
   *   overruns it is incomplete. The scenario's function has to call `run`; what it throws outside
   *   of it is k6's to tell. `rate`, `find`, `raw` and `onError: 'abort'` are for client-sweep
   *   only.
   *
   * A failed operation or an incomplete step crosses a threshold (exit code 99), unless
   * `allowFailed` permits it (for failed operations) or `thresholds` says otherwise.
   *
   * Settings count more than the options, unless the script reads a setting of that name itself:
   * `-e CLIENTS=1,8`, `RATE=100,1000` or `FIND='p99<5ms,max=256'`; `ITERATIONS`, `DURATION` or
   * `PRECISION`; `WARMUP`, `REPEATS`, `PAUSE`, `QUIET`, `MAX_DURATION`; `GATES=FILE` or
   * `GATE='p99<2ms'`; `RESULTS`. A setting of `-e` that nothing reads ends k6.
   *
   * An option that makes no sense ends k6 before the test, exit code 104, and is named.
   */
  export function options(options: SweepOptions): MadeOptions;

  /** What `options` returns, for k6's `options`. */
  export interface MadeOptions {
    scenarios: Record<string, object>;
    thresholds: Record<string, unknown[]>;
  }

  /** What `options` takes: see there. */
  export interface SweepOptions extends Omit<ClientSweep, 'executor'> {
    scenario?: string;
    gates?: string;
    thresholds?: Record<string, unknown[]>;
    portable?: boolean;
  }

  /**
   * Reads a file of gates, and the baseline that it names. The gates are judged when the scenario
   * that the file names has ended: held, crossed or undecided. If one is crossed, or there was no
   * such scenario, k6 exits with 99, else with 110 if one is undecided, whatever became of its own
   * thresholds and also with `--no-thresholds`. A step that is missing, empty or incomplete is
   * crossed. What the run cannot tell is undecided, and passes only where the file says
   * `"undecided": "pass"`: a percentile with fewer than 10 operations beyond it, a baseline that
   * does not fit, runs that differ too much.
   * `path` is relative to the script that k6 runs. The file's form: thresholds/README.md.
   *
   * @throws SweepError that names the file and what is wrong in it
   * @throws TypeError outside of the init context
   */
  export function gates(path: string): void;

  /**
   * Calls `fn` for each operation, until this client's share of the step is done. Before that it
   * waits until all clients of the step have come here, so that they start together; what a script
   * does before, such as connecting, is not measured. It returns once all clients of the step have
   * done their share, so that what a script does after it disturbs nobody who is measured; in a
   * portable step it returns at once. Call it once in a scenario's function.
   *
   * The loop is Go's: an operation costs one call of `fn`, one reading of the clock and one
   * increment of a histogram, and memory does not grow with the number of operations. What `fn`
   * throws is counted as a failed operation, said in the log once for each different text, and does
   * not come out of here. An operation in which a check fails or a response is an error has failed
   * as well: see `failOn`.
   *
   * A function that does not call it works as well: the executor then repeats that whole function,
   * every call one operation, its first call (which connects) unmeasured. Where only a part of the
   * clients calls it, the step is incomplete.
   *
   * With two functions it is a duet: the clients take turns between `base` and `change`, in slices
   * of 5 ms to 500 ms that are chosen from the operation's own duration. All clients change over
   * together, in an order of chance, so that what disturbs the machine disturbs both. Each variant
   * has a step of its own in the report (`variant` is `base` or `change`), and `duets` have the
   * ratios of ops/s, mean, p50 and p99, their intervals of 95 %, and the smallest change that the
   * run could have seen. An operation belongs to the variant that began it, whenever it ends. Both
   * are called at least twice by each client before the start line. Samples have the tag `variant`.
   *
   * ```js
   * sweep.run({ base: () => old.get('key'), change: () => next.get('key') });
   * ```
   *
   * A duet cannot go with `find`, `variants`, `raw`, `portable` and execution segments: that ends
   * the test, exit code 104. So does a step in which only a part of the clients has a duet.
   *
   * @throws TypeError when `fn` is no function, nor two as `{ base, change }`
   * Under another executor (portable steps excepted) it ends the test, exit code 104: k6's options
   * `vus`, `duration`, `iterations` and `stages`, wherever they are set, take the place of a
   * script's scenarios, sweeps too.
   *
   * @throws SweepError at a second call in one step, and when `fn` returns a promise, or leaves one
   *   behind that nobody
   * awaits, or a timer
   */
  export function run(fn: (() => unknown) | { base: () => unknown; change: () => unknown }): void;

  /**
   * For functions that are promises, which do without `run`: fulfilled when all clients of the step
   * have come here. Every client's first call of the function connects, and is not measured; once
   * all clients have ended it, they start together, and each call after it is one operation, for
   * which `ready` is fulfilled at once.
   *
   * ```js
   * export default async function () {
   *   await client.asyncConnect();
   *   await sweep.ready(); // nobody works while others still connect
   *   await client.asyncGet('key');
   * }
   * ```
   *
   * It is rejected with a SweepError outside of a step, and when the step ends meanwhile.
   */
  export function ready(): Promise<void>;

  /**
   * Says that nothing is left of what the clients of the step share, such as the messages of a
   * queue. This client's part ends with the call of `fn` that says so, which is no operation when
   * it recorded none; the other clients have to say it, too.
   *
   * @throws SweepError outside of what `run` calls in the measured phase of a step with `untilDone`
   */
  export function done(): void;

  /**
   * Calls `fn`, counts that as one operation named `name`, and returns what `fn` returns. What `fn`
   * throws counts as a failed operation, and goes on to the caller. Where `fn` returns a promise,
   * the operation ends when that is settled. A failed check or a response that is an error makes
   * the operation a failed one, and those around it, see `failOn`; nothing is thrown then. Where
   * several promises of one client are pending, it fails the operation that ends first.
   *
   * In a sweep, the call of the scenario's function in which operations were named is no operation
   * itself. Under k6's own executors, in `setup()` and in `teardown()` an operation is a sample of
   * the Trend `sweep_op_duration` and of the Rate `sweep_op_failed`, as any of k6's: the summary
   * has them, a threshold such as `sweep_op_failed: ['rate==0']` judges them, and with
   * `k6 run -o sweep=results` they are an operation of the report. All of `failOn` fails it there,
   * and one that the end of its iteration cuts off is not counted.
   *
   * @throws TypeError for other arguments, and in the init context
   */
  export function op<T>(name: string, fn: () => T): T;

  /** The step that a function is called in. */
  export interface Step {
    /** The scenario's name; with `portable`, that of the sweep. */
    scenario: string;
    clients: number;
    /** Operations a second that are asked for; null where the step is no open loop. */
    rate: number | null;
    /** Which repeat of the step it is, from 1. */
    repeat: number;
    /** Null where there are no `variants`, and in a duet, whose functions know what they are. */
    variant: string | null;
    /** The name of the operations that nobody named. */
    op: string;
    /** `measure` from the start line on; before it `warmup`, also while clients connect. */
    phase: 'warmup' | 'measure';
  }

  /**
   * The step that the VU is a client of; null outside of a step, such as in `setup()` and under
   * k6's own executors.
   */
  export function step(): Step | null;

  /**
   * Says that something has happened now, such as `sweep.mark('failover')`: the page shows it on
   * the time axis of the steps that are at work, and the JSON has it in `marks`. It is for all
   * sweeps that are at work, so that another scenario of the test may call it, which stops a server
   * and starts it again. The same text again within a second is one mark, with how many times; a
   * report has at most 1,000. It throws a TypeError for anything but a string of 1 to 200
   * characters, and in the init context.
   *
   * Beside these, `marks` has what modules and the sweep have seen, with its `kind`: `reconnect`, a
   * client connected after the start line of its step; `restart`, the server of `target.url` on
   * this machine has ended, or was started again; `influxdb`, the output `sweep-influxdb` could
   * write no points, or could again; `evictions`, how many keys a memcached, or a Redis with
   * k6/x/resp, has evicted in the 1.05 seconds before.
   */
  export function mark(text: string): void;

  /**
   * Tells the report what only the script knows. Call it in `setup()`. Later calls add to earlier
   * ones.
   *
   * `scenario` is the one that the facts are of, in a test with several; default: all of them.
   *
   * `target` is what was measured: `kind`, `version`, `driver`, `url`. A password or token in `url`
   * is taken out. When the URL names a server on this machine, the report has that server's
   * processor time too: of the processes that listen at that address and port, and of all that they
   * have started. `base` is what is otherwise of the base of a duet, such as its `url`: the report
   * has it as `target.base`. `params` is with what it was measured. `published` is what others
   * have published of the same: the page shows it as a shape.
   *
   * `cache` is for caches whose operations tell hits and misses: the server's memory limit and the
   * size of an average item, key and value together, in bytes. Steps then have the published
   * figures of hits by memory (`steps[].extra`). They need the peak resident memory of the server's
   * processes (VmHWM), which is read from /proc of `pids` or else of the process that listens at
   * `target.url`; `vmHwm` is that of a server elsewhere, in bytes. It counts from the scenario's
   * beginning where this user may see to that, which is the server's own, and else from the
   * server's start: `extra.vmHwmSince` tells. Where it is unknown, those figures are left out.
   *
   * `results` is the folder of the report: it is made and tried now, so that no sweep ends without
   * a report. `name` is what the files of one `scenario` are called instead, such as
   * `'lookup-redis'`, so that runs of two targets have reports of their own.
   *
   * @throws TypeError for an unknown fact, a parameter named as an option of the executor, a `name`
   *   without `scenario`, or when a `url` is not a URL
   * @throws SweepError when nothing can be written to `results`
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
   * The value of a setting: what `-e name=value` says, or else the variable `SWEEP_<name>` of the
   * environment, so that what a shell or a CI system exports as `SECONDS` or `CONFIG` changes
   * nothing. Undefined when there is neither.
   *
   * ```js
   * const seconds = Number(sweep.setting('SECONDS') ?? 10); // k6 run -e SECONDS=5, or
   * SWEEP_SECONDS=5 k6 run
   * ```
   *
   * `environment` is another name for the environment's variable, such as that of a server:
   * `sweep.setting('NATS_URL', { environment: 'NATS_URL' })`.
   *
   * @throws TypeError for other arguments
   */
  export function setting(name: string, options?: { environment?: string }): string | undefined;

  /**
   * Ends k6 with one line and the exit code of an invalid configuration (104): for a setting that
   * makes no sense.
   *
   * ```js
   * if (!(seconds > 0)) sweep.refuse(`SECONDS must be a number above 0, but is "${seconds}"`);
   * ```
   *
   * @throws SweepError with that text after the init context
   */
  export function refuse(text: string): never;

  /**
   * What this module throws beside a TypeError: `usage`, the call or a file that it names makes no
   * sense here; `not_found`, there is no such file; `cancelled`, the step or the test has ended.
   */
  export interface SweepError extends Error {
    name: 'SweepError';
    kind: 'usage' | 'not_found' | 'cancelled';
    /** Always 0: there is no server whose code it could be. */
    code: number;
  }

  /** What a script has made of the figures, such as the columns that a benchmark publishes. */
  export interface Table {
    /** What the table is of. No other table of the report has the same title. */
    title: string;
    columns: {
      name: string;
      /** The unit of its numbers, such as `'MB/s'`. It stands behind the name. */
      unit?: string;
      /** Which of two numbers is better. */
      better?: 'higher' | 'lower';
      /**
       * How many decimals are shown; the report has all. Default: the number has at least three
       * digits.
       */
      digits?: number;
    }[];
    /** A cell for each column. Null, undefined and NaN are nothing, and shown as a dash. */
    rows: (string | number | null | undefined)[][];
    /** Sentences that stand below the table. */
    notes?: string[];
  }

  /**
   * Writes the files `<scenario>.json`, `.md`, `.csv`, `.bench.txt` (Go benchmark format),
   * `.junit.xml` and `.html` to `dir`, which is created when it is missing (not given: the folder
   * that `meta` names as `results`, else that of the setting `RESULTS`, see `setting`, else
   * "results"), and returns what `handleSummary` is to return: the table of each scenario on
   * standard output. The files of a scenario are written beside and renamed together. A good report
   * of an earlier run moves to the folder `previous` in `dir`; a run that failed leaves it in
   * place, and has its own report in `failed`. Where files cannot be written, there is the table,
   * the reason on standard error, and an exit code other than 0.
   *
   * A script that does not call it has its files and its table all the same, beside k6's own
   * summary. Until then each finished step is in `<scenario>.partial.json` in that folder, a report
   * that says that it was interrupted.
   *
   * @param data what k6 gives to `handleSummary`. The outcomes of k6's thresholds become gates of
   *   the report
   * @param options `tables` is called for each scenario with its report, as it is in the `.json`:
   *   the tables that it returns become a part of the report, in the order of their rows. They are
   *   on standard output and in the `.md`, on the page, in the `.csv` (a line for each cell, with
   *   `table`, `table_row`, `table_column` and `table_value`), and in the `.json` as `tables`.
   *   `together` names one more page and Markdown, in which the scenarios of this run stand side
   *   by side: from 2 to 8 of them. `sideBySide` says which variants a scenario's own page sets
   *   side by side, and what their operations are called there; without it, each variant is a side
   */
  export function report(
    data: unknown,
    options?: {
      dir?: string;
      tables?: (report: any) => Table[];
      together?: string;
      sideBySide?: { name: string; ops: Record<string, string> }[];
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
    setting: typeof setting;
    refuse: typeof refuse;
  };
  export default sweep;
}
