package kvlayout_test

import (
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/nats/kvlayout"
)

// The same record in the buckets of the two libraries.
func ExampleLayout() {
	record := kvlayout.Record{Table: "users", Key: "1", Value: []byte("Ada")}
	for _, layout := range []kvlayout.Layout{kvlayout.Orb, kvlayout.Micro} {
		value, err := layout.EncodeValue(record)
		fmt.Printf("%s: %s %s %v\n", layout, layout.Bucket("default", record.Table), value, err)
	}
	// Output:
	// orb: default_users Ada <nil>
	// micro: default {"key":"1","data":"QWRh","metadata":null} <nil>
}
