package generate_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/generate"
)

// Equal seeds and times give equal rows.
func ExampleStock() {
	var first [2]string
	for i := range first {
		stock, err := generate.NewStock(1, 1000)
		if err != nil {
			panic(err)
		}
		enough := errors.New("enough")
		from := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
		err = stock.Ticks(from, from.Add(time.Second), func(tick *generate.Tick) error {
			first[i] = fmt.Sprint(tick.Code, tick.Price, tick.Volume)

			return enough
		})
		if !errors.Is(err, enough) {
			panic(err)
		}
	}
	fmt.Println(first[0] != "", first[0] == first[1])
	// Output: true true
}
