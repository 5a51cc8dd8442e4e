// Package paired compares two ways to do the same work, measured in pairs. Both values of a pair
// are measured right after each other, in random order, so disturbances that last longer than a
// pair cancel in their ratio (duet benchmarking: Bulej et al., ICPE 2020).
//
// Of uses Student's t interval for a fixed number of pairs. Until uses Lai's confidence sequence
// (T. L. Lai, Annals of Statistics 4, 1976; theorem 4.1 in Wang and Ramdas, 2024), which stays
// valid when it is checked after each pair. Both assume independent, normal logarithms of ratios.
//
// OfSlices is for a duet, whose pairs are neighbouring slices of one run. Its ratios use all slices
// together, so that rare stalls count fully. Their spread comes from a circular block bootstrap
// (Politis and Romano 1992), with a block length from the correlations (Politis and White 2004;
// Patton, Politis and White 2009). The tests simulate the coverage: 93 to 97 of 100 intervals
// contain the true ratio.
package paired
