// Package mxgateway is the k6 module k6/x/mxgateway: sessions of an MXAccess gateway, which read
// tags in bulk. Package wire is the client; this package is the JavaScript interface.
package mxgateway
