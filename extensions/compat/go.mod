// Replaces go.k6.io/k6 (k6 v1), which xk6-sql v1.0.5 imports, with aliases for go.k6.io/k6/v2.
// Without it, a binary of k6 v2 with xk6-sql builds, but xk6-sql registers its modules with k6 v1,
// and scripts cannot import them. Use it only in modules that build a binary:
//
//	replace go.k6.io/k6 => ../../compat                  in the binary's go.mod
//	xk6 build --replace go.k6.io/k6=./extensions/compat  through xk6
//
// It contains only what xk6-sql uses. Other extensions for k6 v1 then fail to compile, which is
// better than a missing module. Remove it when a release of xk6-sql imports go.k6.io/k6/v2.
module go.k6.io/k6

go 1.26.0

require go.k6.io/k6/v2 v2.2.0
