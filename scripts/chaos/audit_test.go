package chaos

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/xk6-sweep/xk6-sweep/extensions/sqlmachbase"
)

func valueOf(key string) string { return "value of " + key + " " + strings.Repeat("x", 40) }

func (c *cell) keys() (names []string) {
	for vu := 1; vu <= c.clients; vu++ {
		for i := range c.perClient * c.repeats {
			names = append(names, fmt.Sprintf("%s-%d-%d", c.id, vu, i))
		}
	}

	return names
}

func openMachbase(address string) (*sql.DB, error) {
	connector, err := sqlmachbase.NewConnector("machbase://sys:manager@" + address)
	if err != nil {
		return nil, err
	}

	return sql.OpenDB(connector), nil
}

func prepareMachbase(s *server) error {
	_, address := s.at()
	db, err := openMachbase(address)
	if err != nil {
		return err
	}
	defer closed(db)
	var there int
	err = db.QueryRow("select count(*) from m$sys_tables where name = 'CHAOS_LOOKUP'").Scan(&there)
	if err != nil || there > 0 {
		return err
	}
	for _, statement := range []string{
		"create table chaos_lookup (k varchar(40), v varchar(200))",
		"create tag table chaos_rows (cell varchar(80) primary key, at datetime basetime, value double, " +
			"k varchar(80), v varchar(200))",
	} {
		if _, err := db.Exec(statement); err != nil {
			return err
		}
	}
	for i := range 50 {
		key := fmt.Sprintf("key-%d", i)
		if _, err := db.Exec("insert into chaos_lookup (k, v) values (?, ?)", key, valueOf(key)); err != nil {
			return err
		}
	}
	_, err = db.Exec("exec table_flush(chaos_lookup)")

	return err
}

func machbaseRows(c *cell) (int, error) {
	_, address := c.server.at()
	db, err := openMachbase(address)
	if err != nil {
		return 0, err
	}
	defer closed(db)
	if _, err := db.Exec("exec table_flush(chaos_rows)"); err != nil {
		return 0, err
	}
	rows, err := db.Query("select k, v from chaos_rows where cell = ?", c.id)
	if err != nil {
		return 0, err
	}
	defer closed(rows)
	seen := map[string]bool{}
	for rows.Next() {
		var key, value string
		if err := rows.Scan(&key, &value); err != nil {
			return 0, err
		}
		if seen[key] || value != valueOf(key) {
			return 0, fmt.Errorf("the table has the row %s twice, or not as it was written", key)
		}
		seen[key] = true
	}

	return len(seen), rows.Err()
}

func memcachedValues(c *cell) (int, error) {
	conn, err := c.server.dial()
	if err != nil {
		return 0, err
	}
	defer closed(conn)
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	in, n := bufio.NewReader(conn), 0
	for _, key := range c.keys() {
		if _, err := fmt.Fprintf(conn, "get %s\r\n", key); err != nil {
			return 0, err
		}
		line, err := in.ReadString('\n')
		if err != nil {
			return 0, err
		}
		if line == "END\r\n" {
			continue
		}
		value, err := in.ReadString('\n')
		if err == nil {
			_, err = in.ReadString('\n')
		}
		if err != nil || strings.TrimSpace(value) != valueOf(key) {
			return 0, fmt.Errorf("the server has %q as the value of %s (%w)", value, key, err)
		}
		n++
	}

	return n, nil
}

func umemValues(c *cell) (n int, err error) {
	for _, key := range c.keys() {
		value, err := get("http://" + c.server.control + "/value?key=" + url.QueryEscape(key))
		switch {
		case errors.Is(err, errNotFound):
		case err != nil:
			return 0, err
		case value != valueOf(key):
			return 0, fmt.Errorf("the server has %q as the value of %s", value, key)
		default:
			n++
		}
	}

	return n, nil
}

func gatewayCalls(c *cell) (n int, err error) {
	text, err := get(os.Getenv("MXGW_CONTROL") + "/summary")
	if err != nil {
		return 0, err
	}
	var summary struct {
		Sessions []struct {
			Client     string
			TotalCalls int
		}
	}
	if err := json.Unmarshal([]byte(text), &summary); err != nil {
		return 0, err
	}
	for _, session := range summary.Sessions {
		if session.Client == c.id {
			n += session.TotalCalls
		}
	}

	return n, nil
}

func prepareNATS(s *server) error {
	_, address := s.at()
	conn, err := nats.Connect("nats://"+address, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		return err
	}
	_, err = conn.Subscribe("chaos-echo", func(m *nats.Msg) { _ = m.Respond(m.Data) })
	if err != nil {
		return err
	}
	js, err := conn.JetStream()
	if err != nil {
		return err
	}
	_, err = js.AddStream(&nats.StreamConfig{
		Name: "CHAOS", Subjects: []string{"chaos.>"}, Storage: nats.FileStorage, Duplicates: time.Minute,
	})

	return err
}

func natsMessages(c *cell) (int, error) {
	_, address := c.server.at()
	conn, err := nats.Connect("nats://" + address)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	js, err := conn.JetStream()
	if err != nil {
		return 0, err
	}
	info, err := js.StreamInfo("CHAOS", &nats.StreamInfoRequest{SubjectsFilter: "chaos." + c.id + ".>"})
	if err != nil {
		return 0, err
	}
	n := 0
	for _, messages := range info.State.Subjects {
		n += int(messages)
	}

	return n, nil
}

func redisKeys(c *cell) (int, error) {
	conn, err := c.server.dial()
	if err != nil {
		return 0, err
	}
	defer closed(conn)
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := fmt.Fprintf(conn, "KEYS %s:*\r\n", c.id); err != nil {
		return 0, err
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return 0, err
	}

	return strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, "*")))
}

func influxSums(c *cell) (points, ops int, err error) {
	_, address := c.server.at()
	for _, question := range []struct {
		query string
		into  *int
	}{
		{`select count(ops) from sweep, sweep_step where instance = '` + c.id + `'`, &points},
		{`select sum(ops) from sweep where instance = '` + c.id + `' and phase = 'measure'`, &ops},
	} {
		text, err := get("http://" + address + "/query?db=sweep&q=" + url.QueryEscape(question.query))
		if err != nil {
			return 0, 0, err
		}
		var answer struct {
			Results []struct {
				Error  string
				Series []struct{ Values [][]any }
			}
		}
		if err := json.Unmarshal([]byte(text), &answer); err != nil || len(answer.Results) != 1 || answer.Results[0].Error != "" {
			return 0, 0, fmt.Errorf("InfluxDB answers %s (%w)", text, err)
		}
		for _, series := range answer.Results[0].Series {
			if number, ok := series.Values[0][1].(float64); ok {
				*question.into += int(number)
			}
		}
	}

	return points, ops, nil
}

func closed(c io.Closer) { _ = c.Close() }

var errNotFound = errors.New("not found")

func get(from string) (text string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer closed(response.Body)
	raw, err := io.ReadAll(response.Body)
	switch {
	case response.StatusCode == http.StatusNotFound:
		err = errNotFound
	case err == nil && response.StatusCode != http.StatusOK:
		err = fmt.Errorf("%s: %s", from, response.Status)
	}

	return string(raw), err
}
