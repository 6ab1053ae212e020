-- +goose Up
-- A phone number that a workspace rents. A number is one workspace's at a time.
CREATE TABLE phone_number (
    tenant_id    uuid NOT NULL,
    id           uuid NOT NULL,
    e164         text NOT NULL,
    label        text NOT NULL,
    type         text NOT NULL,
    capabilities text NOT NULL,
    status       text NOT NULL,
    is_default   boolean NOT NULL,
    monthly_fee  bigint NOT NULL,
    renews_at    bigint,
    provider_id  text NOT NULL,
    last_error   text NOT NULL,
    created_at   bigint NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX phone_number_e164 ON phone_number (e164) WHERE status <> 'released';
CREATE UNIQUE INDEX phone_number_default ON phone_number (tenant_id) WHERE is_default;
