package nats

import (
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"
	"github.com/stretchr/testify/require"
)

func TestIdleCallbackIsLogged(t *testing.T) {
	const said = "a callback has received no message for 20ms, and the iteration lasts until its subscription is closed: " +
		"call close() of the subscription, or set its option max"
	v := newInitVU(t, newModule(newShared(20*time.Millisecond)))
	v.Start(1)
	logger, log := test.NewNullLogger()
	v.VU.State().Logger = logger
	told := make(chan struct{}, 1)
	logger.AddHook(tells(told))
	v.Set("waits", func() { <-told })
	v.Loop(`
		const client = new nats.Client(url);
		const few = client.subscribe(unique, () => {}, { max: 1 });
		client.publish(unique, 'x');
		const silent = [client.subscribe(unique + '.a', () => {}), client.subscribe(unique + '.b', () => {})];
		waits();
		silent.forEach((s) => s.close())`)
	require.Equal(t, said, log.LastEntry().Message)
	require.Equal(t, logrus.WarnLevel, log.LastEntry().Level)
	require.Len(t, log.AllEntries(), 1)
}

type tells chan struct{}

func (tells) Levels() []logrus.Level { return logrus.AllLevels }

func (c tells) Fire(*logrus.Entry) error {
	c <- struct{}{}

	return nil
}

func TestIdleWatch(t *testing.T) {
	logger, log := test.NewNullLogger()
	told := make(chan struct{}, 1)
	logger.AddHook(tells(told))
	i := &idle{after: 10 * time.Millisecond}
	over := i.watch(logger)
	over.over.Store(true)
	time.Sleep(5 * i.after)
	require.Empty(t, log.AllEntries())
	busy := i.watch(logger)
	busy.came.Store(true)
	<-told
	require.False(t, busy.came.Load(), "it was looked at twice")
}
