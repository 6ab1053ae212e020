// Package migrations holds the schema as numbered files that run on SQLite and
// PostgreSQL alike. Numbers go by module: kit 0xxx, identity 1xxx, webhook
// 2xxx, crm 3xxx, mail 4xxx, commerce 50xx, telephony 51xx to 59xx, advisor 6xxx.
package migrations

import "embed"

// Files are the migrations.
//
//go:embed *.sql
var Files embed.FS
