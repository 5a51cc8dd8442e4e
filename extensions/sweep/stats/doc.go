// Package stats estimates how far figures and ratios of figures are known, and judges gates by it.
//
//   - [NewSpread] estimates 95 % intervals of a step's figures from its slots over time. Slots are
//     correlated, so the variance comes from a circular block bootstrap (Politis and Romano 1992)
//     with the block length of Patton, Politis and White (2009) and lugsail windows (Vats and Flegal,
//     Biometrika 109, 2022). Intervals of percentiles are Woodruff's (Journal of the American
//     Statistical Association 47, 1952). A step with an [Aim] is checked rarely, as in Stein's two
//     stages (Annals of Mathematical Statistics 16, 1945).
//   - [OfPairs], [Sequential] and [OfSlices] compare two ways to do the same work, measured in pairs.
//     Disturbances that last longer than a pair cancel in its ratio (duet benchmarking: Bulej et al.,
//     ICPE 2020). The tests simulate the coverage: 93 to 97 of 100 intervals contain the true ratio.
//   - [Another] compares a run with recorded ones by the prediction interval of Student's t (G. J. Hahn
//     and W. Q. Meeker, Statistical Intervals, 1991, chapter 4), [Means] the repeats of two runs by
//     Welch's interval (Biometrika 34, 1947).
//   - [Judge] decides gates for compare, gate files, ab and all reports. A gate limits the ratio of
//     change to base. It is held if the whole interval of the ratio is within the tolerance, crossed
//     if the whole interval is outside and significantly so, and else undecided. Gates that are judged
//     together are corrected by Holm's method (Scandinavian Journal of Statistics 6, 1979).
package stats
