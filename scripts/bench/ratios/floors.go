package main

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
)

// programFloorGo and programFloorC are the floors in Go and in C, by the names that they have in
// tables.
const programFloorGo, programFloorC = "floor, Go", "floor, C"

// floorC is the engine of the floor in C, which bin/floor gives its connections to.
const floorC = "bin/floor-epoll"

// floors are the programs that exchange the same bytes as k6 and decode nothing.
func floors(server string, clients, perClient int, flags ...string) []entrant {
	run := func(more ...string) func() (figures, error) {
		return func() (figures, error) {
			return runProgram("floor", slices.Concat([]string{
				"-server=" + server, "-clients=" + strconv.Itoa(clients), "-ops=" + strconv.Itoa(perClient),
			}, flags, more)...)
		}
	}

	return []entrant{
		{program: programFloorGo, bounds: besideFloor(because(whyFloor)), run: run()},
		{program: programFloorC, needs: floorC, peer: true, bounds: besideFloorC(clients), run: run("-epoll=" + floorC)},
	}
}

// addressOf is the host and the port of a cache.
func addressOf(server string) (host, port string, err error) {
	name := strings.ToUpper(server) + "_URL"
	address := os.Getenv(name)
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		address = u.Host
	}
	if host, port, err = net.SplitHostPort(address); err != nil {
		err = errors.Join(fmt.Errorf("%s must be host:port", name), err)
	}

	return host, port, err
}
