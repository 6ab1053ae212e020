-- +goose Up
-- Messages that go out later. The row is the truth: the job only says when to
-- look at it.
CREATE TABLE scheduled_message (
    tenant_id          uuid NOT NULL,
    id                 uuid NOT NULL,
    conversation_id    uuid NOT NULL,
    state              text NOT NULL,
    author_kind        text NOT NULL,
    author_id          uuid,
    body               text NOT NULL,
    channel            text,
    channel_account_id uuid,
    until_reply        boolean NOT NULL,
    send_at            bigint NOT NULL,
    item_id            uuid,
    error              text,
    follow_up          text NOT NULL DEFAULT 'null',
    format             text NOT NULL DEFAULT 'plain',
    signature          boolean NOT NULL DEFAULT false,
    dlp_override       text NOT NULL DEFAULT '',
    test               boolean NOT NULL,
    created_at         bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversation (tenant_id, id)
);
CREATE INDEX scheduled_message_list ON scheduled_message (tenant_id, conversation_id, send_at, id);
CREATE INDEX scheduled_message_waiting ON scheduled_message (tenant_id, conversation_id) WHERE state = 'waiting';
