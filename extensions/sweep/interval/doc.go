// Package interval estimates 95 % intervals of a step's figures from its slots over time. Slots are
// correlated, so the variance comes from a circular block bootstrap (Politis and Romano 1992) with
// the block length of Patton, Politis and White (2009) and lugsail windows (Vats and Flegal,
// Biometrika 109, 2022). Intervals of percentiles are Woodruff's (Journal of the American
// Statistical Association 47, 1952). A step with a precision is checked rarely, as in Stein's two
// stages (Annals of Mathematical Statistics 16, 1945).
package interval
