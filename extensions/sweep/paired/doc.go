// Package paired judges one way to do the same work beside another, measured in pairs.
//
// Both values of a pair are taken one right after the other, in random order. What disturbs a
// machine for longer than a pair disturbs both, so that it falls out of their ratio (duet
// benchmarking: Bulej et al., ICPE 2020). The package works on the logarithms of these ratios,
// which it takes to be independent of each other and near to a normal distribution.
//
// How many pairs there are is known before, or it is not:
//
//   - After a number of pairs that was fixed before, the interval is Student's t interval.
//   - Who looks after each pair, and stops when the interval is narrow enough, would be wrong more
//     often than such an interval says. Lai's confidence sequence holds at all looks at once (T. L.
//     Lai, On confidence sequences, Annals of Statistics 4, 1976; as theorem 4.1 in Wang and
//     Ramdas, Anytime- valid t-tests and confidence sequences for Gaussian means with unknown
//     variance, 2024).
//
// # Slices of one run
//
// In a duet within one run, the pairs are neighbouring slices of its time. A ratio is that of all
// slices together, not a mean of theirs: what happens seldom, such as a stall, counts with its full
// weight. Slices hang together, so that the spread of the ratio comes from a circular block
// bootstrap: the run is drawn anew from blocks of neighbouring pairs (D. N. Politis and J. P.
// Romano, 1992), whose length the correlations choose (Politis and White 2004; Patton, Politis and
// White 2009). Rates, means and quantiles come from the same draws. The interval is Student's, with
// the blocks as its number of values. Simulations in the tests show what it covers: 93 to 97 of
// 100, quiet or beside a neighbour that comes and goes for many slices.
package paired
