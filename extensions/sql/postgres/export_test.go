package postgres

// Parse is for tests of this package.
var Parse = parse
