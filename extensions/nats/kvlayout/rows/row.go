package rows

import (
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/nats/kvlayout"
)

// Loop is the work of one iteration of a row.
type Loop string

// The loops.
const (
	Put       Loop = "put"        // writes a record with a new key
	PutGet    Loop = "put+get"    // writes a record with a new key, then reads it
	Get       Loop = "get"        // reads the same record each time
	PutDelete Loop = "put+delete" // writes a record with a new key, then deletes it
	ListTable Loop = "list table" // lists the keys of a random table
	ListAll   Loop = "list all"   // lists the keys of the database
)

// Fill is the content of the database before the first iteration.
type Fill string

// The fills.
const (
	Nothing   Fill = "nothing"
	OneRecord Fill = "one record"
	// Tables: 100 tables table-<t> with the same 1,000 keys key-<i>.
	Tables Fill = "tables"
	// TableOfEachKey: 1,000 records key-<i> in table-<i>, written 100 times each.
	TableOfEachKey Fill = "a table of each key"
)

// Row is one row of the benchmark.
type Row struct {
	// Name is the name of the Go benchmark, without Benchmark.
	Name string
	// Pair names the two rows that belong together.
	Pair   string
	Layout kvlayout.Layout
	Loop   Loop
	Fill   Fill
	// Key is the key of loop Get and fill OneRecord, and the prefix of all other keys.
	Key string
	// Large values have 1 MiB; byte i is i modulo 256. Other values are value-<i>, and test-value
	// in the fill OneRecord.
	Large bool
	// Limit and Offset of a list; both 0: all keys.
	Limit, Offset uint
	// Published is the authors' result; zero for the rows of LikeForLike.
	Published Published
}

// Published is a result in Go's benchmark format.
type Published struct {
	Iterations                      int
	Nanoseconds, Bytes, Allocations int // figures per operation
}

// Rows returns the 18 published rows, in order.
func Rows() []Row {
	const (
		orb   = kvlayout.Orb
		micro = kvlayout.Micro
	)

	return []Row{
		{"OrbSet", "Set", orb, Put, Nothing, "key-", false, 0, 0, Published{26001, 46239, 2786, 56}},
		{"MicroWrite", "Set", micro, Put, Nothing, "key-", false, 0, 0, Published{25856, 45857, 2900, 57}},
		{"OrbSetGet", "SetGet", orb, PutGet, Nothing, "key-", false, 0, 0, Published{12591, 93330, 7084, 130}},
		{"MicroWriteRead", "SetGet", micro, PutGet, Nothing, "key-", false, 0, 0, Published{12084, 96749, 8358, 140}},
		{"OrbGet", "Get", orb, Get, OneRecord, "test-key", false, 0, 0, Published{28144, 42355, 3721, 68}},
		{"MicroRead", "Get", micro, Get, OneRecord, "test-key", false, 0, 0, Published{26840, 44827, 4310, 76}},
		{"OrbList", "List", orb, ListTable, Tables, "key-", false, 0, 0, Published{410, 2620050, 2418802, 27796}},
		{"MicroList", "List", micro, ListAll, Tables, "key-", false, 0, 0, Published{6, 194777617, 231174128, 2910016}},
		{"OrbListPagination", "ListPagination", orb, ListTable, Tables, "key-", false, 100, 100, Published{421, 2460378, 2344519, 25997}},
		{"MicroListPagination", "ListPagination", micro, ListAll, TableOfEachKey, "key-", false, 100, 100,
			Published{482, 2471308, 2371703, 28785}},
		{"OrbSetLarge", "SetLarge", orb, Put, Nothing, "large-key-", true, 0, 0, Published{1200, 919767, 2113711, 67}},
		{"MicroWriteLarge", "SetLarge", micro, Put, Nothing, "large-key-", true, 0, 0, Published{530, 2139809, 5312348, 76}},
		{"OrbGetLarge", "GetLarge", orb, Get, OneRecord, "large-test-key", true, 0, 0, Published{2284, 487448, 3190474, 81}},
		{"MicroReadLarge", "GetLarge", micro, Get, OneRecord, "large-test-key", true, 0, 0, Published{183, 6572089, 5315176, 96}},
		{"OrbSetGetLarge", "SetGetLarge", orb, PutGet, Nothing, "large-key-", true, 0, 0, Published{750, 1444972, 6979392, 149}},
		{"MicroWriteReadLarge", "SetGetLarge", micro, PutGet, Nothing, "large-key-", true, 0, 0, Published{134, 8717133, 12316065, 175}},
		{"OrbDeleteLarge", "DeleteLarge", orb, PutDelete, Nothing, "large-key-", true, 0, 0, Published{939, 1168799, 4837791, 132}},
		{"MicroDeleteLarge", "DeleteLarge", micro, PutDelete, Nothing, "large-key-", true, 0, 0, Published{453, 2387964, 8422971, 122}},
	}
}

// LikeForLike returns the fair counterparts of OrbList and OrbListPagination: go-micro's list of
// one table out of the same 100.
func LikeForLike() []Row {
	return []Row{
		{"MicroListTable", "List", kvlayout.Micro, ListTable, Tables, "key-", false, 0, 0, Published{}},
		{"MicroListPaginationTable", "ListPagination", kvlayout.Micro, ListTable, Tables, "key-", false, 100, 100, Published{}},
	}
}

// Compatible returns rows of go-orb in its compatible mode, without published results. There all
// tables of a database share their keys.
func Compatible() []Row {
	var all []Row
	for _, row := range Rows() {
		if row.Layout == kvlayout.Orb {
			row.Name, row.Layout, row.Published = "OrbCompat"+strings.TrimPrefix(row.Name, "Orb"), kvlayout.OrbCompat, Published{}
			all = append(all, row)
		}
	}

	return all
}
