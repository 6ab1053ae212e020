-- +goose Up
-- A messaging account whose calls the exchange takes. The provider shows a key with each
-- call, of which the hash is here. An account is in one workspace.
CREATE TABLE phone_channel (
    tenant_id  uuid NOT NULL,
    account_id uuid NOT NULL,
    channel    text NOT NULL,
    e164       text NOT NULL,
    key_hash   bytea NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, account_id)
);
CREATE UNIQUE INDEX phone_channel_account ON phone_channel (account_id);

-- The account that a call came over.
ALTER TABLE phone_call ADD COLUMN channel_account_id uuid;
