-- +goose Up
-- An account on a channel: a mailbox, a number, a widget, a system of the
-- customer's own. settings is the kind's JSON without secrets; credentials
-- are sealed. auth_errors is how often in a row the provider refused them. A disconnected account stays, because conversations name it.
CREATE TABLE channel_account (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL,
    kind        text NOT NULL,
    name        text NOT NULL,
    status      text NOT NULL,
    reason      text,
    ai          boolean NOT NULL,
    ai_configuration_id uuid,
    group_id    uuid,
    hours       text NOT NULL,
    settings    text NOT NULL,
    credentials bytea,
    auth_errors bigint NOT NULL DEFAULT 0,
    key_hash    bytea,
    key_last4   text,
    external_id text,
    created_by  uuid,
    created_at  bigint NOT NULL,
    updated_at  bigint NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX channel_account_list ON channel_account (tenant_id, created_at, id);
CREATE INDEX channel_account_kind ON channel_account (tenant_id, kind, created_at, id);
-- Whose a channel key is, before the tenant is known.
CREATE UNIQUE INDEX channel_account_key ON channel_account (key_hash) WHERE key_hash IS NOT NULL;
-- Whose an address, a number or a page is that a provider's call names.
CREATE INDEX channel_account_external ON channel_account (kind, external_id) WHERE external_id IS NOT NULL;
CREATE UNIQUE INDEX channel_account_once ON channel_account (tenant_id, kind, external_id)
    WHERE external_id IS NOT NULL AND status <> 'disconnected';
