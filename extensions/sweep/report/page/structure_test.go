package page

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// No attribute, style or element refers to anything outside.
func TestNoReferences(t *testing.T) {
	loading := map[string]bool{
		"script": true, "img": true, "iframe": true, "object": true, "embed": true, "video": true, "audio": true, "source": true,
		"base": true, "form": true, "a": true, "image": true, "use": true, "foreignobject": true, "foreignObject": true,
	}
	forPages(t, func(t *testing.T, _ *report.Report, page string) {
		t.Helper()
		for _, n := range nodes(t, page) {
			require.False(t, loading[n.Data], n.Data)
			for _, a := range n.Attr {
				require.NotContains(t, []string{"src", "srcset", "http-equiv", "action", "style", "background"}, a.Key)
				require.False(t, strings.HasPrefix(a.Key, "on"), a.Key)
				if strings.Contains(a.Key, "href") {
					require.Equal(t, "data:,", a.Val)
				}
			}
			if n.Data == "style" {
				require.NotRegexp(t, `(?i)url\(|@import|expression|https?:`, text(n))
			}
		}
	})
}

func TestIDs(t *testing.T) {
	forPages(t, func(t *testing.T, _ *report.Report, page string) {
		t.Helper()
		all := nodes(t, page)
		seen := map[string]bool{}
		for _, n := range all {
			if id := attr(n, "id"); id != "" {
				require.False(t, seen[id], id)
				seen[id] = true
			}
		}
		for _, n := range all {
			for _, id := range strings.Fields(attr(n, "aria-labelledby")) {
				require.True(t, seen[id], "%s refers to %s", n.Data, id)
			}
		}
	})
}

func TestPlotsAreTold(t *testing.T) {
	forPages(t, func(t *testing.T, r *report.Report, page string) {
		t.Helper()
		plots := elements(nodes(t, page), "svg")
		for _, svg := range plots {
			require.Equal(t, "img", attr(svg, "role"))
			children := map[string]string{}
			for c := svg.FirstChild; c != nil; c = c.NextSibling {
				if c.Data == "title" || c.Data == "desc" {
					children[c.Data] = strings.TrimSpace(text(c))
				}
			}
			require.NotEmpty(t, children["title"])
			require.NotEmpty(t, children["desc"])
			require.Contains(t, attr(svg, "aria-labelledby"), attr(svg, "id")+"-desc")
		}
		if len(r.Steps) > 0 {
			require.NotEmpty(t, plots)
		}
	})
}

// There is one title, and heading levels are not skipped.
func TestOutline(t *testing.T) {
	forPages(t, func(t *testing.T, _ *report.Report, page string) {
		t.Helper()
		all := nodes(t, page)
		require.Equal(t, "en", attr(elements(all, "html")[0], "lang"))
		require.Len(t, elements(all, "h1"), 1)
		for _, landmark := range []string{"header", "main", "footer"} {
			require.Len(t, elements(all, landmark), 1)
		}
		level := 0
		for _, n := range find(all, func(n *html.Node) bool { return regexp.MustCompile(`^h[1-6]$`).MatchString(n.Data) }) {
			next := int(n.Data[1] - '0')
			require.LessOrEqual(t, next, level+1, text(n))
			require.NotEmpty(t, strings.TrimSpace(text(n)))
			level = next
		}
		for _, n := range elements(all, "figure") {
			require.Len(t, find(all, func(c *html.Node) bool { return c.Data == "figcaption" && c.Parent == n }), 1)
		}
		for _, n := range elements(all, "table") {
			require.Equal(t, "caption", firstElement(n).Data)
		}
		for _, n := range elements(all, "th") {
			require.NotEmpty(t, attr(n, "scope"))
		}
	})
}

func firstElement(n *html.Node) *html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			return c
		}
	}

	return nil
}

func TestTextsStayTexts(t *testing.T) {
	r := examples()["weird"]
	all := nodes(t, rendered(t, r))
	require.Equal(t, weird, text(elements(all, "h1")[0]))
	require.Equal(t, weird+" – xk6-sweep", text(elements(all, "title")[0]))
	ops := find(all, func(n *html.Node) bool { return attr(n, "data-op") == weird })
	require.Len(t, ops, 2)
	whole := text(elements(all, "body")[0])
	require.Contains(t, whole, `{"a":1}`)
	require.Contains(t, whole, `<img src=x onerror='a()'>{{.}} & | \"q\"`) // in JSON
	require.Contains(t, whole, "select *\n  from t where a < 'b' && c > \"d\"")
}

func TestCoordinates(t *testing.T) {
	number := regexp.MustCompile(`-?[0-9.]+`)
	forExamples(t, func(t *testing.T, _ *report.Report, page string) {
		t.Helper()
		require.NotRegexp(t, `NaN|Inf\b|%!`, page)
		height := 0.0
		for _, n := range nodes(t, page) {
			switch n.Data {
			case "svg":
				_, size, found := strings.Cut(attr(n, "viewbox")+attr(n, "viewBox"), fmt.Sprintf("0 0 %g ", plotWidth))
				require.True(t, found)
				var err error
				height, err = strconv.ParseFloat(size, 64)
				require.NoError(t, err)
			case "path":
				d, _, _ := strings.Cut(attr(n, "d"), "a") // the rest is relative
				require.Regexp(t, `^[MLh0-9. Zacz-]+$`, attr(n, "d"))
				if attr(n, "transform") != "" {
					requireCells(t, n)

					continue
				}
				for _, found := range number.FindAllString(d, -1) {
					v, err := strconv.ParseFloat(found, 64)
					require.NoError(t, err)
					require.True(t, v >= -5 && v <= plotWidth+5, "%s of %s", found, attr(n, "d"))
				}
			case "text":
				x, err := strconv.ParseFloat(attr(n, "x"), 64)
				require.NoError(t, err)
				require.True(t, x >= 0 && x <= plotWidth, attr(n, "x"))
				y, err := strconv.ParseFloat(attr(n, "y"), 64)
				require.NoError(t, err)
				require.True(t, y >= 0 && y <= height, attr(n, "y"))
			}
		}
	})
}

// requireCells checks that a heat map's cells are within the plot.
func requireCells(t *testing.T, n *html.Node) {
	t.Helper()
	var x, y, width, height float64
	_, err := fmt.Sscanf(attr(n, "transform"), "translate(%f %f) scale(%f %f)", &x, &y, &width, &height)
	require.NoError(t, err)
	for _, run := range regexp.MustCompile(`M(\d+) (\d+)h(\d+)`).FindAllStringSubmatch(attr(n, "d"), -1) {
		numbers := make([]float64, 3)
		for i := range numbers {
			numbers[i], err = strconv.ParseFloat(run[i+1], 64)
			require.NoError(t, err)
		}
		require.LessOrEqual(t, x+(numbers[0]+numbers[2])*width, timeRight+width, run[0])
		require.LessOrEqual(t, y+(numbers[1]+0.5)*height, heatBottom+0.5, run[0])
	}
}

// Texts and lines have a contrast of 4.5 to 1 in both schemes (WCAG AA).
func TestContrast(t *testing.T) {
	raw, err := files.ReadFile("templates/style.gohtml")
	require.NoError(t, err)
	light, dark, found := strings.Cut(string(raw), "prefers-color-scheme: dark")
	require.True(t, found)
	dark, _, _ = strings.Cut(dark, "* {")
	for name, scheme := range map[string]string{"light": light, "dark": dark} {
		colours := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z0-9-]+): (#[0-9a-f]{6});`).FindAllStringSubmatch(scheme, -1) {
			colours[m[1]] = m[2]
		}
		require.Len(t, colours, 30, name)
		for colour, value := range colours {
			switch colour {
			case "paper", "bad-paper", "rule", "faint", "h0", "h1", "h2", "h3", "h4", "h5", "h6", "h7":
				continue
			}
			require.GreaterOrEqual(t, contrast(t, value, colours["paper"]), 4.5, "%s: %s", name, colour)
		}
		for _, colour := range []string{"ink", "bad"} {
			require.GreaterOrEqual(t, contrast(t, colours[colour], colours["bad-paper"]), 4.5, "%s: %s", name, colour)
		}
	}
}

// contrast as defined by WCAG 2.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)

	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	total := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		part, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		require.NoError(t, err)
		v := float64(part) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		total += weight * v
	}

	return total
}
