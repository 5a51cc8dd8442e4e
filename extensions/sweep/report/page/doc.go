// Package page renders a report as one HTML page with plots, tables and facts. The page has no
// script and loads nothing.
package page
