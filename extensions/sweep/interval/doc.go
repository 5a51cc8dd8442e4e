// Package interval tells how well the figures of one step are known, from what the step did over
// its time.
//
// The slots of a step hang together: a neighbour, a checkpoint or a pause of the collector stays
// for several of them. The spread of a figure is therefore that of a circular block bootstrap (D.
// N. Politis and J. P. Romano, 1992) of what each slot adds to it. Correlations choose how many
// slots are drawn together (Politis and White 2004; Patton, Politis and White 2009). For what each
// slot adds, the bootstrap's variance has a closed form, and nothing is drawn: it is the mean
// square of the sums of all blocks. Blocks cut what hangs together, so that a variance from them is
// too small, by half as much when they are twice as long. Blocks are therefore twice as long as the
// choice says, and what the variance grows by from the shorter ones is added once more (lugsail
// windows: Vats and Flegal, Biometrika 109, 2022). Where it shrinks, as that of a closed loop's
// counts does, in which a long operation is followed by fewer, half of that is taken off: all of it
// would be too much where it is chance. Half of the variance stays at least, as that of clients
// that stay together in all of a step shrinks by more than there is of it. The interval is
// Student's, with the blocks as its number of values. The start of a step, when all clients begin
// together and few operations end, is left out of the spread of ops/s.
//
// A percentile's interval is that of Woodruff (Journal of the American Statistical Association 47,
// 1952): the part of the operations that took longer than the percentile has an interval, and its
// ends are the levels at which the histogram of all operations is read. Its spread is never taken
// to be less than that of independent operations.
//
// A step that ends when its interval is narrow enough looks seldom: first after some seconds, and
// then when the interval should be narrow enough by what is known (as in C. Stein's procedure of
// two stages, Annals of Mathematical Statistics 16, 1945). Such a step ends rather where chance has
// made the interval too narrow.
//
// Simulations in the tests show what that comes to: 93 to 97 of 100 intervals of steps with a fixed
// time have the truth, with noise that stays and without. Of steps that end when they are known,
// 93 of 100 or more are as near to the truth as was asked for.
package interval
