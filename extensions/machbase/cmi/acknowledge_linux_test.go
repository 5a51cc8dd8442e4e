//go:build !portable

package cmi_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

func TestQueryThatComesAgainIsCancelledBetweenItsAnswers(t *testing.T) {
	description := append(append(result(good), number(0x21, 1)...), parameter(cmi.Long)...)
	description = append(append(description, rawUnit(200, 8, 512)...), column("N", cmi.Long, 64)...)
	for name, prepared := range map[string][]byte{
		"the same description": description,
		"another one":          append(append([]byte(nil), description...), column("M", cmi.Long, 64)...),
	} {
		t.Run(name, func(t *testing.T) {
			c := withPeerOver(t, sockets(t), cmi.Config{}, func(p *peer) {
				p.request()
				p.answer(message(kindPrepare, 0, description))
				p.request()
				p.answer(message(kindExecute, 0, oneColumn(last, 7)))
				p.request()
				p.answer(message(kindFree, 0, result(good)))
				for range 3 {
					p.request()
				}
				p.answer(message(kindPrepare, 1, prepared))
			})
			const text = "select n from t where n < ?"
			require.Equal(t, [][]any{{int64(7)}}, query(t, c, text, 8))
			ctx, cancel := context.WithCancel(withTimeout(t))
			c.AfterReads(func() {
				cancel()
				require.Eventually(t, c.Broken, patience, time.Millisecond)
			})
			rows, err := c.Query(ctx, text, 8)
			require.Nil(t, rows)
			requireKind(t, cmi.KindCancelled, err)
		})
	}
}
