-- +goose Up

-- The test whether what is sent to an account arrives, for the kinds of channels that
-- keep none of their own.
CREATE TABLE channel_inbound_test (
    tenant_id   uuid NOT NULL,
    account_id  uuid NOT NULL,
    code        text,
    started_at  bigint,
    verified_at bigint,
    PRIMARY KEY (tenant_id, account_id),
    FOREIGN KEY (tenant_id, account_id) REFERENCES channel_account (tenant_id, id)
);
