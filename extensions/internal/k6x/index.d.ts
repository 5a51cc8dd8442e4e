/** Types that all modules share. */
declare namespace XK6Sweep {
  /**
   * A time: a string with its unit, such as `"5s"`, `"1m30s"` or `"300ms"`, or a number of
   * milliseconds from 100. A smaller number is an error, because it could mean seconds.
   */
  type Duration = number | string;

  /**
   * A time to live: a string with its unit, such as `"60s"` or `"1h"`, 0 for no expiry, or the
   * Date of the end (a past one expires immediately). Other numbers are errors.
   */
  type TTL = string | 0 | Date;

  /**
   * Tags of a call, as in k6/http. Its samples in the module's metrics have them in addition to
   * `op` and `outcome`.
   */
  type Tags = { [name: string]: string | number | boolean };

  /**
   * Options of TLS. The defaults are k6's own options (insecureSkipTLSVerify, tlsAuth, tlsVersion,
   * tlsCipherSuites).
   */
  interface TLSOptions {
    /**
     * Certificate authorities in PEM, as one string or several. Default: the system's.
     */
    cacerts?: string | readonly string[];
    /** Another name of `cacerts`, as in k6/x/redis. */
    ca?: string | readonly string[];
    /** The client's certificate in PEM; needs `key`. */
    cert?: string;
    key?: string;
    /** Password of an encrypted `key`. */
    password?: string;
    /** The name in the server's certificate. Default: the server's host. */
    serverName?: string;
    /** Accept any certificate. Default false. */
    insecureSkipTLSVerify?: boolean;
  }

  /** Options of every Client. Times must be more than 0. */
  interface ClientOptions {
    /**
     * Addresses of the servers. Pass them here or as the constructor's first argument.
     */
    url?: string | readonly string[];
    /** Timeout of an operation. Default `"60s"`, as in k6/http. */
    timeout?: Duration;
    /** Timeout of connecting, including TLS and login. Default `"5s"`. */
    connectTimeout?: Duration;
  }
}
