// Package standstill makes a server stand still, for tests of clients whose server stops answering.
package standstill
