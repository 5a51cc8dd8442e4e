// Package deployment tests Dockerfile.k6, the compose file and the manifests of scripts/k8s.
package deployment
