-- +goose Up
-- What a bot needs beside its account: the first update that was not taken yet,
-- where it is polled.
CREATE TABLE telegram_bot (
    tenant_id   uuid NOT NULL,
    account_id  uuid NOT NULL,
    next_update bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, account_id),
    FOREIGN KEY (tenant_id, account_id) REFERENCES channel_account (tenant_id, id)
);
-- A link by which a person on Telegram ties their account to the workspace. The
-- first who opens it is the one; the row goes when their connection comes.
CREATE TABLE telegram_link (
    tenant_id  uuid NOT NULL,
    state_hash bytea NOT NULL,
    account_id uuid NOT NULL,
    person_id  bigint,
    created_by uuid,
    expires_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, state_hash),
    FOREIGN KEY (tenant_id, account_id) REFERENCES channel_account (tenant_id, id)
);
-- A person's account in which the bot works: connection_id is how updates name
-- it, and changes when the person connects the bot anew.
CREATE TABLE telegram_connection (
    tenant_id      uuid NOT NULL,
    account_id     uuid NOT NULL,
    bot_account_id uuid NOT NULL,
    connection_id  text NOT NULL,
    person_id      bigint NOT NULL,
    PRIMARY KEY (tenant_id, account_id),
    FOREIGN KEY (tenant_id, account_id) REFERENCES channel_account (tenant_id, id)
);
CREATE UNIQUE INDEX telegram_connection_id ON telegram_connection (tenant_id, bot_account_id, connection_id);
