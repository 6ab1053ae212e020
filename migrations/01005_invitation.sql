-- +goose Up
-- The open invitation of a membership that waits; an accepted or replaced one
-- is gone.
CREATE TABLE invitation (
    tenant_id     uuid NOT NULL REFERENCES tenant (id),
    id            uuid NOT NULL,
    membership_id uuid NOT NULL,
    token_hash    bytea NOT NULL UNIQUE,
    created_by    uuid,
    expires_at    bigint NOT NULL,
    created_at    bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, membership_id),
    FOREIGN KEY (tenant_id, membership_id) REFERENCES membership (tenant_id, id)
);
