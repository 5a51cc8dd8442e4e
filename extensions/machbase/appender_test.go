package machbase

import (
	"slices"
	"testing"

	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

func logOf(t *testing.T, v *vu) *logtest.Hook {
	t.Helper()
	logger, is := v.VU.State().Logger.(*logrus.Logger)
	require.True(t, is)
	logger.SetLevel(logrus.WarnLevel)

	return logtest.NewLocal(logger)
}

func TestClientClosesAppendersLeftOpen(t *testing.T) {
	driver := &fakeDriver{}
	v := newVU(t, driver)
	log := logOf(t, v)
	v.Run(`const client = new machbase.Client('a');
		const a = client.appender('closed'); a.append(['x', 1], ['y', 2]); a.close();
		const b = client.appender('left'); b.append(['x', 1]); b.sync(); b.append(['x', 2], ['y', 3]);
		client.close();`)
	require.InDelta(t, 5, v.Counted(metricAcknowledged), 0)
	require.Empty(t, log.AllEntries())

	driver.receipt = func(*fakeConn, int64) (cmi.Receipt, error) {
		return cmi.Receipt{}, k6x.Errorf(k6x.KindConnection, "the server is gone")
	}
	v.Run(`const c = client.appender('left'); c.append(['x', 1]); const d = client.appender('another'); d.append(['x', 1])`)
	before := v.Counted(metricOps, "op", opAppend, "outcome", k6x.KindConnection)
	require.Equal(t, thrown{"MachbaseError", "the server is gone", k6x.KindConnection, 0}, v.fail(`client.close()`))
	require.InDelta(t, before+2, v.Counted(metricOps, "op", opAppend, "outcome", k6x.KindConnection), 0, "of each appender")
	v.Run(`client.exec('x'); client.close()`)
}

func TestEndOfVUClosesAppendersLeftOpen(t *testing.T) {
	gone := k6x.Errorf(k6x.KindConnection, "the server is gone")
	for name, tt := range map[string]struct {
		receipt cmi.Receipt
		err     error
		says    string
	}{
		"taken": {receipt: cmi.Receipt{Accepted: 3}},
		"rejected": {
			receipt: cmi.Receipt{Accepted: 1, Rejected: 2},
			says:    "an appender on left was not closed, and the server rejected 2 of its rows; call its close()",
		},
		"failed": {
			err: gone,
			says: "an appender on left was not closed, and closing it failed (the server is gone): " +
				"its last 3 rows may not be in the table; call its close()",
		},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			v := newVU(t, &fakeDriver{receipt: func(*fakeConn, int64) (cmi.Receipt, error) {
				asked++

				return tt.receipt, tt.err
			}})
			log := logOf(t, v)
			v.Run(`const client = new machbase.Client('a'); const a = client.appender('left'); a.append(['x', 1], ['y', 2]); a.flush(); a.append(['z', 3])`)
			v.Exit()
			require.Equal(t, 1, asked)
			var says []string
			for _, entry := range log.AllEntries() {
				says = append(says, entry.Message)
			}
			require.Equal(t, tt.says == "", len(says) == 0, says)
			require.True(t, tt.says == "" || slices.Equal([]string{tt.says}, says), says)
		})
	}
}

func TestAppenderOfABrokenConnection(t *testing.T) {
	v := newVU(t, &fakeDriver{exec: func(*fakeConn, string, []any) (int64, error) {
		return 0, k6x.Errorf(k6x.KindConnection, "the server is gone")
	}})
	log := logOf(t, v)
	v.Run(`const client = new machbase.Client('a');
		for (let i = 0; i < 2; i++) {
			client.appender('left').append(['x', 1]);
			try { client.exec('x'); } catch (e) {}
		}
		client.close();`)
	require.Len(t, log.AllEntries(), 1)
	require.Equal(t, "the connection of an appender on left broke: its last 1 rows may not be in the table",
		log.LastEntry().Message)
}
