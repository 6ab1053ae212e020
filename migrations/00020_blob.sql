-- +goose Up
-- A row stands before its bytes are stored and until they are removed, so no
-- crash leaves bytes that nobody knows of. refs counts the records that hold
-- it; one that nobody has held since touched_at is removed after a while.
CREATE TABLE blob (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL,
    hash       bytea NOT NULL,
    size       bigint NOT NULL,
    ready      boolean NOT NULL,
    going      boolean NOT NULL DEFAULT false,
    refs       bigint NOT NULL DEFAULT 0,
    touched_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX blob_hash ON blob (tenant_id, hash) WHERE ready AND NOT going;
CREATE INDEX blob_unheld ON blob (touched_at) WHERE refs = 0;
