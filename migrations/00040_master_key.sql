-- +goose Up
-- A value that the master key sealed when this database was first served. A start
-- with another key cannot open it. There is one row.
CREATE TABLE master_key_check (
    id      bigint PRIMARY KEY CHECK (id = 1),
    sealed  bytea NOT NULL,
    made_at bigint NOT NULL
);
