-- +goose Up

-- What a provider told of a message that has not come yet: another text, that it was
-- taken back, a reaction. It waits a day for the message.
CREATE TABLE item_early (
    tenant_id           uuid NOT NULL,
    id                  uuid NOT NULL,
    account_id          uuid NOT NULL,
    provider_message_id text NOT NULL,
    kind                text NOT NULL,
    value               text NOT NULL,
    created_at          bigint NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX item_early_of ON item_early (tenant_id, account_id, provider_message_id, id);
