package page

import (
	"cmp"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// cssRule is a rule of the style sheet for elements of plots with all its classes.
type cssRule struct {
	element string // "path", "text", or "" for both
	classes []string
	set     []cssProperty
}

type cssProperty struct{ name, value string }

var (
	cssBlock    = regexp.MustCompile(`(?m)^((?:svg [^{@]*)|(?:\.[a-z][0-9] [^{]*)) ?\{([^}]*)\}`)
	cssClass    = regexp.MustCompile(`^(?:svg )?(path|text)?((?:\.[a-z0-9-]+)*)$`)
	cssVariable = regexp.MustCompile(`(--[a-z0-9-]+): (#[0-9a-f]{6})`)
	cssUse      = regexp.MustCompile(`var\((--[a-z0-9-]+)(?:, ([^()]*(?:\([^()]*\))?))?\)`)
)

// presentationAttributes are the CSS properties that are also SVG attributes.
var presentationAttributes = []string{ //nolint:gochecknoglobals // a constant
	"fill", "fill-opacity", "font-size", "font-style", "font-weight", "paint-order",
	"stroke", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "stroke-opacity", "stroke-width",
}

// plotStyle has the style sheet's rules for plots, least specific first, and the colours of its
// light theme.
var plotStyle = sync.OnceValue(func() (style struct { //nolint:gochecknoglobals // a constant
	rules   []cssRule
	colours map[string]string
}) {
	sheet, err := files.ReadFile("templates/style.gohtml")
	if err != nil {
		panic(err) // a fault of the program
	}
	style.colours = map[string]string{}
	root, _, _ := strings.Cut(string(sheet), "@media")
	for _, m := range cssVariable.FindAllStringSubmatch(root, -1) {
		style.colours[m[1]] = m[2]
	}
	lines := regexp.MustCompile(`\} (\.[a-z][0-9] )`).ReplaceAllString(string(sheet), "}\n$1")
	for _, block := range cssBlock.FindAllStringSubmatch(lines, -1) {
		var set []cssProperty
		for one := range strings.SplitSeq(block[2], ";") {
			if name, value, is := strings.Cut(strings.TrimSpace(one), ": "); is {
				set = append(set, cssProperty{name, value})
			}
		}
		for selector := range strings.SplitSeq(block[1], ",") {
			if m := cssClass.FindStringSubmatch(strings.TrimSpace(selector)); m != nil {
				style.rules = append(style.rules, cssRule{m[1], strings.FieldsFunc(m[2], func(c rune) bool { return c == '.' }), set})
			}
		}
	}
	slices.SortStableFunc(style.rules, func(a, b cssRule) int { return cmp.Compare(len(a.classes), len(b.classes)) })

	return style
})

// presentation returns an element's style as SVG attributes, for a content security policy that
// drops the style sheet, as Jenkins has. The style sheet overrides them.
func presentation(element, class string) template.HTMLAttr {
	style := plotStyle()
	classes := strings.Fields(class)
	set := map[string]string{}
	for _, rule := range style.rules {
		if rule.element != "" && rule.element != element {
			continue
		}
		if slices.ContainsFunc(rule.classes, func(c string) bool { return !slices.Contains(classes, c) }) {
			continue
		}
		for _, p := range rule.set {
			set[p.name] = p.value
		}
	}
	var b strings.Builder
	for _, name := range presentationAttributes {
		value, is := set[name]
		for is && strings.Contains(value, "var(") {
			value = cssUse.ReplaceAllStringFunc(value, func(use string) string {
				m := cssUse.FindStringSubmatch(use)

				return cmp.Or(set[m[1]], style.colours[m[1]], m[2], "#000000")
			})
		}
		if is && value != "none" {
			fmt.Fprintf(&b, ` %s="%s"`, name, value)
		}
	}

	return template.HTMLAttr(b.String()) //nolint:gosec // made of the page's own style sheet
}
