// Package docs reads the Markdown pages of this repository, so that tests can hold their links and
// their command lines to what is there. Only tests import it.
package docs
