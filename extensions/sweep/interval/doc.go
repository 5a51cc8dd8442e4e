// Package interval estimates 95 % intervals of one step's figures from its slots over time.
//
// Slots are correlated, because disturbances last. The variance therefore comes from a circular
// block bootstrap (Politis and Romano 1992) in closed form, with a block length from the
// correlations (Politis and White 2004; Patton, Politis and White 2009) and lugsail windows against
// its bias (Vats and Flegal, Biometrika 109, 2022). The interval is Student's, with the blocks as
// the number of values. An interval of a percentile is Woodruff's (Journal of the American
// Statistical Association 47, 1952). The start of a step is left out of the spread of ops/s,
// because all clients begin together.
//
// A step with a precision is checked rarely, as in Stein's two stages (Annals of Mathematical
// Statistics 16, 1945). The tests simulate the coverage: 93 to 97 of 100 intervals contain the
// truth.
package interval
