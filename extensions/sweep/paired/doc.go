// Package paired compares two ways to do the same work, measured in pairs. Disturbances that last
// longer than a pair cancel in its ratio (duet benchmarking: Bulej et al., ICPE 2020).
//
// Of returns Student's interval for a fixed number of pairs. Until returns Lai's confidence
// sequence (T. L. Lai, Annals of Statistics 4, 1976; theorem 4.1 in Wang and Ramdas, 2024), which
// stays valid when it is checked after each pair. OfSlices compares the slices of a duet, by a
// circular block bootstrap (Politis and Romano 1992) with the block length of Patton, Politis and
// White (2009). The tests simulate the coverage: 93 to 97 of 100 intervals contain the true ratio.
package paired
