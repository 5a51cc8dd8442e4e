// Package judgement decides gates for compare, gate files, ab and all reports. A gate limits the
// ratio of change to base. Its outcome depends on the interval of the ratio:
//
//   - held: the whole interval is within the tolerance;
//   - crossed: the whole interval is outside, and the change is significantly beyond the tolerance;
//   - undecided: the measurement cannot detect a change of that size.
//
// Gates that are judged together are corrected by Holm's method (Scandinavian Journal of Statistics
// 6, 1979). Held needs no correction: it is an intersection-union test (R. L. Berger, Technometrics
// 24, 1982).
//
// For pairs, see package paired. Else the logarithms of figures are taken as independent and
// normal. A run against n recorded runs has the prediction interval of Student's t, with the
// deviation between runs times the root of 1 + 1/n (G. J. Hahn and W. Q. Meeker, Statistical
// Intervals, 1991, chapter 4); repeats of one run share their disturbances and are no substitute.
// Two single runs have the interval of their repeats (B. L. Welch, Biometrika 34, 1947), which is
// valid for these two runs only.
package judgement
