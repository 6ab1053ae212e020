-- +goose Up
-- How the provider calls the later parts of messages that were sent in several: the item
-- has the name of the first. A copy of one of them is no message of its own.
CREATE TABLE social_part (
    tenant_id           uuid NOT NULL,
    account_id          uuid NOT NULL,
    provider_message_id text NOT NULL,
    sent_at             bigint NOT NULL,
    PRIMARY KEY (tenant_id, account_id, provider_message_id),
    FOREIGN KEY (tenant_id, account_id) REFERENCES channel_account (tenant_id, id)
);
