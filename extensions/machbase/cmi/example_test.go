//go:build servers

package cmi_test

import (
	"context"
	"fmt"
	"net/url"
	"os"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// A query with a parameter, whose rows are read one by one.
func Example() {
	u, err := url.Parse(os.Getenv("MACHBASE_URL"))
	if err != nil {
		panic(err)
	}
	password, _ := u.User.Password()
	ctx := context.Background()
	conn, err := cmi.Connect(ctx, cmi.Config{Addresses: []string{u.Host}, User: u.User.Username(), Password: password})
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	rows, err := conn.Query(ctx, "select name from m$sys_users where name = ?", "SYS")
	if err != nil {
		panic(err)
	}
	for rows.Next() {
		fmt.Printf("%s\n", rows.Bytes(0))
	}
	fmt.Println(rows.Close())
	// Output:
	// SYS
	// <nil>
}
