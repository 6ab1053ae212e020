-- +goose Up
-- A row stands before its bytes are stored and until they are removed, so no
-- crash leaves bytes that nobody knows of. refs counts the records that hold
-- it; one that nobody has held since touched_at is removed after a while.
-- visitor says that it counts as one of the workspace's visitors. check_at is when
-- its bytes are read again in the background; damage says what was wrong when they
-- were last read (missing, damaged), null for nothing.
CREATE TABLE blob (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL,
    hash       bytea NOT NULL,
    size       bigint NOT NULL,
    visitor    boolean NOT NULL DEFAULT false,
    ready      boolean NOT NULL,
    going      boolean NOT NULL DEFAULT false,
    refs       bigint NOT NULL DEFAULT 0,
    touched_at bigint NOT NULL,
    check_at   bigint NOT NULL,
    damage     text,
    damaged_at bigint,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX blob_hash ON blob (tenant_id, hash) WHERE ready AND NOT going;
CREATE INDEX blob_unheld ON blob (touched_at) WHERE refs = 0;
CREATE INDEX blob_check ON blob (check_at) WHERE ready AND NOT going;
CREATE INDEX blob_damaged ON blob (damaged_at) WHERE damage IS NOT NULL;

-- How many bytes a workspace's blobs have together, those that nobody holds yet
-- among them, and how many it may have; a null quota is the operator's default.
CREATE TABLE storage (
    tenant_id     uuid NOT NULL PRIMARY KEY,
    bytes         bigint NOT NULL DEFAULT 0,
    visitor_bytes bigint NOT NULL DEFAULT 0,
    quota         bigint
);
