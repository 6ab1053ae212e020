-- +goose Up
-- A sign-up with the provider of WhatsApp, Messenger and Instagram that somebody began.
-- It acts for that session, and counts once.
CREATE TABLE partner_signup (
    tenant_id  uuid NOT NULL,
    state_hash bytea NOT NULL,
    session_id uuid NOT NULL,
    expires_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, state_hash)
);
