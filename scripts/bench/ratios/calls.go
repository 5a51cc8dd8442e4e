package main

import (
	"fmt"
	"strconv"
	"strings"
)

// calls are the medians of gets in client.run and of gets that are a call of JavaScript each, for
// one number of clients.
type calls struct {
	clients, rounds    int
	run, call          figures // k6/x/memcached
	respRun, redisCall figures // k6/x/resp has nothing but runs: the calls are those of k6/x/redis
}

// called is a table of them.
type called []*calls

func measureCalls(e *effort) (result, error) {
	var all called
	for _, clients := range []int{1, 8, 64} {
		perClient := e.share(clients, cacheSolo, cacheCrowd) // of both, or a step's length would be a part of the ratio
		medians, n, err := inTurns(e, strconv.Itoa(clients), clients,
			k6Gets("memcached", clients, perClient, "get:1", 1),
			k6Script("memcached", clients, perClient, 1),
			k6Gets("redis", clients, perClient, "get:1", 1),
			k6Script("redis", clients, perClient, 1),
		)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			all = append(all, &calls{clients: clients, rounds: n, run: medians[0], call: medians[1], respRun: medians[2], redisCall: medians[3]})
		}
	}

	return all, nil
}

func (all called) judgements() (js []judgement) {
	for _, c := range all {
		memcached, redis := c.byCalling()
		row := fmt.Sprintf("%d, beside a call for each", c.clients)
		js = append(js, memcached.judged("memcached, "+row, "us"), redis.judged("redis, "+row, "us"))
	}

	return js
}

// String is the table.
func (all called) String() string {
	lines := []string{"one get in each call of JavaScript, beside client.run\n", callsHead}
	for _, c := range all {
		lines = append(lines, c.String())
	}

	return strings.Join(lines, "\n")
}

// mostOfCalls is how many times the processor time of a get in a call of JavaScript client.run may
// take.
const mostOfCalls = 1.05

// k6Script is a run of one get in each call of JavaScript, or of a pipeline.
func k6Script(target string, clients, perClient, pipeline int) func() (figures, error) {
	return func() (figures, error) {
		return stepFigures("scripts/bench/caches.js", "caches", map[string]string{
			"TARGET": target, "CLIENTS": strconv.Itoa(clients), "ITERATIONS": strconv.Itoa(perClient), "WARMUP": warmup,
			"PIPELINE": strconv.Itoa(pipeline),
		})
	}
}

// byCalling is the processor time of client.run over that of a call for each.
func (c *calls) byCalling() (memcached, redis bounded) {
	return bounded{c.run.over(c.call, processor), atMost(mostOfCalls)}, bounded{c.respRun.over(c.redisCall, processor), atMost(mostOfCalls)}
}

const callsHead = "| clients |  n | memcached run/s | call/s | run is, times | run us | call us " +
	"| run us over call us | resp run/s | redis call/s | run is, times | run us | call us | run us over call us |\n" +
	"|--------:|---:|----------------:|-------:|--------------:|-------:|--------:" +
	"|---------------------|-----------:|-------------:|--------------:|-------:|--------:|---------------------|"

// String is a line of the table.
func (c *calls) String() string {
	memcached, redis := c.byCalling()

	return fmt.Sprintf("| %7d | %2d | %15.0f | %6.0f | %13.2f | %6.2f | %7.2f | %s | %10.0f | %12.0f | %13.2f | %6.2f | %7.2f | %s |",
		c.clients, c.rounds,
		c.run.OpsPerSecond, c.call.OpsPerSecond, c.run.OpsPerSecond/c.call.OpsPerSecond, c.run.CPUMicros, c.call.CPUMicros, memcached,
		c.respRun.OpsPerSecond, c.redisCall.OpsPerSecond, c.respRun.OpsPerSecond/c.redisCall.OpsPerSecond,
		c.respRun.CPUMicros, c.redisCall.CPUMicros, redis)
}
