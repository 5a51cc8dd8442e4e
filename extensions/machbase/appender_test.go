package machbase

import (
	"testing"

	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"
	"github.com/stretchr/testify/require"
)

// Rows that a script leaves in an appender are lost with the connection, and the log says so.
func TestAppenderLeftOpen(t *testing.T) {
	v := newVU(t, answer(nil))
	logger, is := v.VU.State().Logger.(*logrus.Logger)
	require.True(t, is)
	logger.SetLevel(logrus.WarnLevel)
	log := logtest.NewLocal(logger)

	v.Run(`const client = new machbase.Client('a');
		const a = client.appender('closed'); a.append(['x', 1], ['y', 2]); a.close();
		const b = client.appender('flushed'); b.append(['x', 1]); b.flush();
		const c = client.appender('left'); c.append(['x', 1]); c.flush(); c.append(['x', 2], ['y', 3]);
		client.close();`)
	require.Len(t, log.AllEntries(), 1)
	require.Equal(t, "an appender on left was neither flushed nor closed: of the last 2 rows that it was given, those are lost "+
		"that were in no batch yet; call its close()", log.LastEntry().Message)
	v.Run(`client.exec('x'); client.close()`)
	require.Len(t, log.AllEntries(), 1, "it is told once")
}
