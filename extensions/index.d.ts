// The declarations of all modules, for editors.
/// <reference path="machbase/index.d.ts" />
/// <reference path="memcached/index.d.ts" />
/// <reference path="mxgateway/index.d.ts" />
/// <reference path="nats/index.d.ts" />
/// <reference path="resp/index.d.ts" />
/// <reference path="sweep/index.d.ts" />
/// <reference path="umemcache/index.d.ts" />
