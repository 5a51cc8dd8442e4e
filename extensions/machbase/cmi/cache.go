package cmi

import (
	"container/list"
	"strings"
)

// CacheMode says which statements of Query and Exec stay prepared on a connection.
type CacheMode string

// Modes of the statement cache. Only statements that read or change rows are ever kept; those of
// Prepare are not in the cache. A statement that is kept has the columns that it was prepared with:
// when the table is made anew with columns of other sizes, its rows end with an error, and with
// columns of the same sizes the values are taken for what they were.
const (
	CacheOff  CacheMode = "off"  // none: a statement with arguments is prepared, executed and freed, in one go where it can be
	CacheAuto CacheMode = "auto" // those that come a second time: a text that runs once leaves nothing on the server
	CacheOn   CacheMode = "on"   // all
)

// cacheSize is how many statements a cache keeps: half of what the server allows, the rest is for
// Prepare and appenders.
const cacheSize = maxStatements / 2

// cache keeps the statements that were used last.
type cache struct {
	mode    CacheMode
	entries map[string]*list.Element
	order   *list.List    // of *Stmt, the one that was used last in front
	last    *list.Element // to which most calls go, without a look at the map
}

func newCache(mode CacheMode) cache {
	return cache{mode: mode, entries: map[string]*list.Element{}, order: list.New()}
}

// get returns the statement for a text that is kept, or nil for one that is not.
func (k *cache) get(c *Conn, sql string) *Stmt {
	switch {
	case k.mode == CacheOff:
		return nil
	case k.last != nil && statementOf(k.last).text == sql:
		k.order.MoveToFront(k.last)

		return statementOf(k.last)
	}
	element, seen := k.entries[sql]
	if !seen {
		if !isCacheable(sql) {
			return nil
		}
		if k.order.Len() >= cacheSize {
			k.evict()
		}
		element = k.order.PushFront(&Stmt{conn: c, text: sql, keep: true})
		k.entries[sql] = element
		if k.mode == CacheAuto {
			return nil
		}
	}
	k.order.MoveToFront(element)
	k.last = element

	return statementOf(element)
}

func statementOf(element *list.Element) *Stmt {
	return element.Value.(*Stmt) //nolint:forcetypeassert // nothing else is in the list
}

// evict gives up the statement that was not used for the longest time; false when there is none.
func (k *cache) evict() bool {
	element := k.order.Back()
	if element == nil {
		return false
	}
	s := statementOf(element)
	k.order.Remove(element)
	delete(k.entries, s.text)
	if k.last == element {
		k.last = nil
	}
	s.keep = false // it may be the one that needs room itself
	s.free()

	return true
}

// isCacheable tells whether a text reads or changes rows.
func isCacheable(sql string) bool {
	sql = trimComments(sql)
	end := strings.IndexFunc(sql, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
	if end < 0 {
		end = len(sql)
	}
	switch strings.ToLower(sql[:end]) {
	case "select", "with", "insert", "update", "delete":
		return true
	default:
		return false
	}
}

// trimComments takes away the comments before a statement.
func trimComments(sql string) string {
	for {
		sql = strings.TrimSpace(sql)
		var end string
		switch {
		case strings.HasPrefix(sql, "--"):
			end = "\n"
		case strings.HasPrefix(sql, "/*"):
			end = "*/"
		default:
			return sql
		}
		_, rest, found := strings.Cut(sql, end)
		if !found {
			return ""
		}
		sql = rest
	}
}
