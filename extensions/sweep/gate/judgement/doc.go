// Package judgement decides gates for compare, gate files, ab and all reports. A gate limits the
// ratio of change to base. It is held if the whole interval of the ratio is within the tolerance,
// crossed if the whole interval is outside and significantly so, and else undecided. Gates that are
// judged together are corrected by Holm's method (Scandinavian Journal of Statistics 6, 1979).
//
// Intervals of pairs come from package paired. Another is the prediction interval of Student's t
// for a run against recorded ones (G. J. Hahn and W. Q. Meeker, Statistical Intervals, 1991,
// chapter 4), Means Welch's interval of the repeats of two runs (Biometrika 34, 1947).
package judgement
