-- +goose Up
-- What the CRM knows of a member beyond their membership; its id is the
-- membership's. A member without a row has the defaults.
CREATE TABLE agent (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL,
    title       text NOT NULL,
    presence    text NOT NULL,
    presence_at bigint NOT NULL,
    signature   text NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, id)
);

-- A QR that signs a phone in. Only the hash of its key is kept.
CREATE TABLE mobile_qr (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL,
    agent_id    uuid NOT NULL,
    key_hash    bytea NOT NULL UNIQUE,
    made_by     uuid NOT NULL, -- the session
    expires_at  bigint NOT NULL,
    mailed_at   bigint,
    revoked_at  bigint,
    scanned_at  bigint,
    session_id  uuid,
    device_name text NOT NULL DEFAULT '',
    platform    text NOT NULL DEFAULT '',
    created_at  bigint NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX mobile_qr_open ON mobile_qr (tenant_id, agent_id, created_at) WHERE scanned_at IS NULL AND revoked_at IS NULL;
CREATE INDEX mobile_qr_age ON mobile_qr (expires_at);
