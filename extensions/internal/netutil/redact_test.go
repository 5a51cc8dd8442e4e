package netutil

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRedact(t *testing.T) {
	for text, want := range map[string]string{
		"postgres://me:geheim@db:5432/x?sslmode=disable":                    "postgres://me:***@db:5432/x?sslmode=disable",
		"postgres://me:ge/h#e?i@m@db/x":                                     "postgres://me:***@db/x",
		"redis://:geheim@db:6379/0":                                         "redis://:***@db:6379/0",
		"nats://geheim@db:4222":                                             "nats://***@db:4222",
		"host=h password=geheim user=u":                                     "host=h password=*** user=u",
		"host=h password = 'ge \\'heim' user=u":                             "host=h password = *** user=u",
		`host=h password=ge\ heim user=u`:                                   "host=h password=*** user=u",
		"host=h user=u password=geheim":                                     "host=h user=u password=***",
		"user=u sslpassword=geheim sslkey=/k.pem":                           "user=u sslpassword=*** sslkey=/k.pem",
		"me:geheim@tcp(db:3306)/x":                                          "me:***@tcp(db:3306)/x",
		"http://db:8086/x?token=geheim&org=us":                              "http://db:8086/x?token=***&org=us",
		"bin/k6 run -e POSTGRES_URL=postgres://me:geheim@db/x a.js":         "bin/k6 run -e POSTGRES_URL=postgres://me:***@db/x a.js",
		"bin/k6 run -e 'DSN=host=h password=geheim user=u' -e TOKEN=geheim": "bin/k6 run -e 'DSN=host=h password=*** user=u' -e TOKEN=***",
		"machbase://sys@db:5656":                                            "machbase://sys@db:5656",
		"127.0.0.1:11211":                                                   "127.0.0.1:11211",
		"/var/run/redis.sock":                                               "/var/run/redis.sock",
		"machbase://db:5656":                                                "machbase://db:5656",
	} {
		require.Equal(t, want, Redact(text))
		require.Equal(t, want, Redact(want), "twice changes nothing")
	}
}

func TestRedactFact(t *testing.T) {
	for text, want := range map[string]string{
		"select * from t where password = 'x' and user = ?": "select * from t where password = 'x' and user = ?",
		"password reuse":                "password reuse",
		"host=h password=geheim user=u": "host=h password=*** user=u",
		"amqp://a:geheim@b":             "amqp://a:***@b",
	} {
		require.Equal(t, want, RedactFact(text))
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("geheim")
	f.Add(`a'b\ c`)
	f.Add("@:/?#")
	f.Fuzz(func(t *testing.T, secret string) {
		marked := "GEHEIM" + strings.Map(func(c rune) rune {
			if c <= ' ' || c == 0x7f || c == 0xfffd {
				return -1
			}

			return c
		}, secret)
		quoted := "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(marked) + "'"
		for _, text := range []string{"postgres://me:" + marked + "@db/x", "host=h password=" + quoted + " user=u"} {
			require.NotContains(t, Redact(text), "GEHEIM", text)
		}
	})
}
