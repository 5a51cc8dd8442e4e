// Package k6mod is the seam between k6 and a module that speaks to a server: what all our modules
// do alike stands here once. A module has what is its own: a client, its commands, and a wire room.
//
// # What a module is made of
//
// New makes it of a Definition. Exports is called once for each VU, in the init context, and gets
// the Module of that VU: embed it. What all VUs share is a variable that Exports closes over.
//
//	// New returns the JavaScript module.
//	func New() modules.Module {
//		var shared connections
//
//		return k6mod.New(k6mod.Definition{
//			ErrorName: "CacheError", AsError: asError,
//			Metrics: k6mod.Metrics{Ops: "cache_ops", Counts: []string{"cache_hits", "cache_misses"}},
//			Exports: func(m *k6mod.Module) map[string]any {
//				return map[string]any{"Client": (&module{m, &shared}).newClient}
//			},
//		})
//	}
//
//	type module struct {
//		*k6mod.Module
//
//		shared *connections
//	}
//
// The module package resp is the smallest one with a client.run, and a good one to begin with.
// Package memcached shows a wide API: one table has all commands, and methods, pipelines and
// metrics come from it.
//
// # What goes where
//
//   - new Client(url, options): ParseClient. Options embed Target and Timeouts; OneOf checks words;
//     k6glue.TLSOptions are the option tls. SetConstant makes a property that scripts can read.
//   - The option tags of calls: TagsOption in a table of Options or, in options that are read into
//     a struct, a field Tags. A Task that is Tagged has them on its samples; others call Tag.
//   - Errors: Misuse, Errorf, TestEnded and ErrInit make an *Error, which Throw and NewError show
//     to the script. AsError says what the errors of the wire room are: it may import no k6, and
//     has a type of its own. Kinds that only this server has are the module's own constants.
//   - The init context: MustRun in methods that need a connection; tasks ask by themselves.
//   - Methods in both forms, get and asyncGet: an Operation reads the arguments and returns a Task;
//     BothForms makes the methods. Ordered tasks are for a connection that does one thing at a
//     time.
//   - Arguments: Text, Name, Bytes, Elements, Unsigned, Count, Duration, TTL, Word; Wrong makes the
//     error of any other. Options is a table of the options of a call, for values that JSON has not
//     or for calls that must cost little, and Into an entry of it; k6glue.Options reads all others
//     into a struct. k6glue.Frozen remembers what was read of a frozen object.
//   - Metrics: Count an operation, Traffic its bytes; EmitDuration after a call that does one
//     operation; Elapsed after each of many, and Emit at their end. Counter is for what has no
//     tags, and with Metrics.Tagged for what has others; Meter for other metrics.
//   - A sweep: Step adds rows and bytes to the operation that the script is doing. A client.run
//     that records each operation by itself has Session; caches get all that from package
//     cachebench.
//   - Closing, for what must not outlive the VU's use for it; k6glue.Shared, for what VUs share.
//   - Deadlines: package deadline, which costs no timer and no allocation for each call.
//
// Nothing here, on the path of an operation, allocates, locks or calls through more than one
// interface.
package k6mod
