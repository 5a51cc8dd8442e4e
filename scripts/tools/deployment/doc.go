// Package deployment has only tests: Dockerfile.k6, the compose file and the manifests of
// scripts/k8s, read as those who run them read them. `make shipped` runs them.
package deployment
