// Package mxgateway is the k6 module k6/x/mxgateway: sessions of an MXAccess gateway, in which tags
// are read in bulk. The client is the package wire; here is what scripts see of it.
package mxgateway
