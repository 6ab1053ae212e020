-- +goose Up
-- A row for each role that a workspace made or changed. A built-in role
-- without a row is as the program has it; the owner never has one.
CREATE TABLE role (
    tenant_id   uuid NOT NULL REFERENCES tenant (id),
    id          uuid NOT NULL,
    name        text NOT NULL,
    title       text NOT NULL,
    permissions text NOT NULL,
    created_at  bigint NOT NULL,
    updated_at  bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, name)
);
CREATE INDEX membership_role ON membership (tenant_id, role);
