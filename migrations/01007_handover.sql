-- +goose Up
-- A session on its way from the host of one workspace to that of another: a
-- code that the page there gives back, once.
CREATE TABLE handover (
    id         uuid PRIMARY KEY,
    code_hash  bytea NOT NULL UNIQUE,
    session_id uuid NOT NULL,
    tenant_id  uuid NOT NULL,
    ip         text NOT NULL,
    expires_at bigint NOT NULL
);
CREATE INDEX handover_age ON handover (expires_at);
