package cmi

import (
	"container/list"
	"strings"
)

// CacheMode selects which statements of Query and Exec stay prepared on a connection.
type CacheMode string

// Modes of the statement cache. It only holds statements that read or change rows, and none of
// Prepare. A cached statement keeps the columns with which it was prepared. If its table is created
// again with columns of other sizes, its rows end with an error; if the sizes are the same, values
// are read with the old types.
const (
	CacheOff  CacheMode = "off"  // none: a statement with arguments is prepared, executed and freed, in one write if possible
	CacheAuto CacheMode = "auto" // statements from their second use, so that single ones leave nothing on the server
	CacheOn   CacheMode = "on"   // all statements
)

// The server's other half is for Prepare and appenders.
const cacheSize = maxStatements / 2

type cache struct {
	mode    CacheMode
	entries map[string]*list.Element
	order   *list.List
	last    *list.Element
}

func newCache(mode CacheMode) cache {
	return cache{mode: mode, entries: map[string]*list.Element{}, order: list.New()}
}

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
	return element.Value.(*Stmt) //nolint:forcetypeassert // the list holds no other type
}

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
	s.keep = false
	s.free()

	return true
}

func isCacheable(sql string) bool {
	sql = TrimComments(sql)
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

// TrimComments returns a statement without the spaces and comments before its first word. A comment
// without an end stays.
func TrimComments(sql string) string {
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
			return sql
		}
		sql = rest
	}
}
