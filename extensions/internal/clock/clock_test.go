package clock

import (
	"testing"
	"time"
)

func TestNowResolution(t *testing.T) {
	least := time.Hour
	for last, i := Now(), 0; i < 100_000; i++ {
		now := Now()
		if now < last {
			t.Fatalf("the clock went back from %v to %v", last, now)
		}
		if step := now - last; step > 0 {
			least = min(least, step)
		}
		last = now
	}
	if least > 10*time.Microsecond {
		t.Errorf("the smallest step of the clock is %v", least)
	}
}

func TestNowKeepsPace(t *testing.T) {
	const slept, step = 200 * time.Millisecond, 20 * time.Millisecond // steps of package time on Windows
	wall, begin := time.Now(), Now()
	time.Sleep(slept)
	if took := Since(begin); took < slept-step || took > time.Since(wall)+step {
		t.Errorf("%v by this clock, %v by that of package time", took, time.Since(wall))
	}
}

func TestNowAllocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { Now() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
