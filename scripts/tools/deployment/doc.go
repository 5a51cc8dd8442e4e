// Package deployment has only tests, of what nothing here can run: Dockerfile.k6 and the compose
// file, which need a container engine, and the manifests of scripts/k8s, which need a cluster.
package deployment
