package postgres

var Parse = parse
