// The declarations of this module's JavaScript modules, for editors.
/// <reference path="extensions/machbase/index.d.ts" />
/// <reference path="extensions/memcached/index.d.ts" />
/// <reference path="extensions/mxgateway/index.d.ts" />
/// <reference path="extensions/nats/index.d.ts" />
/// <reference path="extensions/resp/index.d.ts" />
/// <reference path="extensions/sweep/index.d.ts" />
/// <reference path="extensions/umemcache/index.d.ts" />
