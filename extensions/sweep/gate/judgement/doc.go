// Package judgement is the one judgement of gates: what compare, files of gates, ab, the page and
// the JUnit file call held, crossed or undecided.
//
// A gate bounds the ratio of a figure of a change to that of its base. What is known of the ratio
// is an interval, which is held against the tolerance:
//
//   - held, when all of it is within the tolerance;
//   - crossed, when none of it is, and the change is significantly beyond the tolerance;
//   - undecided between these: what was measured could not have seen a change of that size.
//
// Of several gates that are judged together, Holm's correction keeps the chance that any of them is
// crossed without a change (S. Holm, Scandinavian Journal of Statistics 6, 1979). Held needs no
// correction: a family is held only when each of its gates is, which is an intersection-union test
// (R. L. Berger, Technometrics 24, 1982).
//
// Where there are no pairs (package paired), the intervals are of the logarithms of figures, which
// are taken to be independent and near to a normal distribution. A run beside recorded ones has the
// prediction interval of Student's t: it differs from the mean of n recorded runs by the deviation
// between runs, times the root of 1 + 1/n (G. J. Hahn and W. Q. Meeker, Statistical Intervals,
// 1991, chapter 4). How much a run's repeats differ says nothing of that: what disturbs a run
// disturbs all of its repeats. Two runs of which nobody knows how much runs differ have the
// interval of their repeats (B. L. Welch, Biometrika 34, 1947), which is of these two alone.
package judgement
