package machbase
import ("testing";"fmt";"os")
func TestProbe(t *testing.T) {
	v := newServerVU(t)
	v.runtime.Set("log", func(a ...any) { fmt.Println(a...) })
	b, _ := os.ReadFile("/tmp/mbtest/probe.js")
	_, err := v.runtime.RunString(string(b))
	fmt.Println("ERR", err)
}
