// Package page turns a report into one self-contained HTML page: plots, tables and facts for
// people, on a screen, on a phone and on paper. The page needs no network and no script.
package page
