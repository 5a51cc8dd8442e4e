package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

type settings struct {
	address, key     string
	tags             []string
	duration, warmup time.Duration
	transport        credentials.TransportCredentials
}

func fromEnvironment() (settings, error) {
	s := settings{address: os.Getenv("MXGW_URL"), key: os.Getenv("MXGW_KEY"), transport: insecure.NewCredentials()}
	if s.address == "" || s.key == "" || os.Getenv("TAGS") == "" {
		return s, errors.New("MXGW_URL (host:port), MXGW_KEY and TAGS (names with commas between them) must be set")
	}
	s.tags = strings.Split(os.Getenv("TAGS"), ",")
	var err error
	if s.duration, err = time.ParseDuration(or("DURATION", "30s")); err != nil {
		return s, fmt.Errorf("DURATION: %w", err)
	}
	if s.warmup, err = time.ParseDuration(or("WARMUP", "2s")); err != nil {
		return s, fmt.Errorf("WARMUP: %w", err)
	}
	if os.Getenv("TLS") == "true" {
		s.transport, err = secured(os.Getenv("TLS_CA"), os.Getenv("TLS_SERVER_NAME"))
	}

	return s, err
}

func secured(file, serverName string) (credentials.TransportCredentials, error) {
	if file == "" {
		return credentials.NewClientTLSFromCert(nil, serverName), nil
	}

	return credentials.NewClientTLSFromFile(file, serverName)
}

func or(name, fallback string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}

	return fallback
}
