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

// programFloorC is the floor in C, by the name that it has in tables.
const programFloorC = "floor, C"

// floorC is the engine of the floor in C, which bin/floor gives its connections to.
const floorC = "bin/floor-epoll"

// floors are the programs that exchange the same bytes as k6 and decode nothing.
func floors(server string, clients, perClient int, reason why, flags ...string) []entrant {
	run := func(more ...string) func() (figures, error) {
		return func() (figures, error) {
			return runProgram("floor", slices.Concat([]string{
				"-server=" + server, "-clients=" + strconv.Itoa(clients), "-ops=" + strconv.Itoa(perClient),
			}, flags, more)...)
		}
	}

	return []entrant{
		{program: "floor, Go", bounds: besideFloor(reason, clients, false), run: run()},
		{program: programFloorC, needs: floorC, bounds: besideFloor(reason, clients, true), run: run("-epoll=" + floorC)},
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
