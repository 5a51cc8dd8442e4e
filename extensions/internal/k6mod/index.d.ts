/** What all modules that speak to a server have in common. */
declare namespace XK6Sweep {
  /**
   * A time: a string with its unit, such as `"5s"`, `"1m30s"` or `"300ms"`, or a number of
   * milliseconds from 100 on. A smaller number is refused: it could be one of seconds.
   */
  type Duration = number | string;

  /**
   * How long a value lives: a string with its unit, such as `"60s"` or `"1h"`, 0 for ever, or the
   * Date of its end (one that has passed: at once). Any other number is refused.
   */
  type TTL = string | 0 | Date;

  /**
   * Tags of a call, as those of k6/http: they stand on the call's samples in the module's metrics,
   * beside `op` and `outcome`.
   */
  type Tags = { [name: string]: string | number | boolean };

  /**
   * TLS: true, or what is special about it. What stands nowhere here is as k6's own options have it
   * (insecureSkipTLSVerify, tlsAuth, tlsVersion, tlsCipherSuites).
   */
  interface TLSOptions {
    /**
     * Certificates in PEM, as one string or several: who may have signed the server's. Default:
     * whom the system trusts.
     */
    cacerts?: string | readonly string[];
    /** The same as `cacerts`, under the name that k6/x/redis has for it. */
    ca?: string | readonly string[];
    /** The client's own certificate in PEM, together with `key`. */
    cert?: string;
    key?: string;
    /** That of an encrypted key (not of PKCS #8, which k6 cannot read). */
    password?: string;
    /** The name that the server's certificate must have. Default: the server's host. */
    serverName?: string;
    /** Whether any certificate will do. Default false. */
    insecureSkipTLSVerify?: boolean;
  }

  /** Options of every Client. Times must be more than 0. */
  interface ClientOptions {
    /**
     * Where the servers are, if the constructor's first argument does not say it. Both are an
     * error.
     */
    url?: string | readonly string[];
    /** How long an operation may take. Default `"60s"`, as in k6/http. */
    timeout?: Duration;
    /** How long connecting may take, TLS and login included. Default `"5s"`. */
    connectTimeout?: Duration;
  }
}
