// Package deployment has only tests: they parse Dockerfile.k6, the compose file and the manifests
// of scripts/k8s as their users' programs do. `make shipped` runs them.
package deployment
