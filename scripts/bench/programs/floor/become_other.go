//go:build !linux

package main

import "errors"

// become fails: epoll is Linux's.
func (s *settings) become() error { return errors.New("-epoll is for Linux") }
