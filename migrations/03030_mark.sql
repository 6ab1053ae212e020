-- +goose Up
-- What was done to this installation once and for all, such as filling a demo.
CREATE TABLE installation_mark (
    name text PRIMARY KEY,
    at   bigint NOT NULL
);
