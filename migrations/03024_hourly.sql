-- +goose Up
-- What happened by the hour, channel and account (the nil UUID where there is none): messages received and sent, conversations
-- opened and closed, first answers by how long they took. Written by the gate with
-- the thing itself. A counter is spread over shards, so that writers do not wait
-- for each other; hours older than five weeks are removed.
CREATE TABLE conversation_hour (
    tenant_id  uuid NOT NULL,
    hour       bigint NOT NULL,
    channel    text NOT NULL,
    account_id uuid NOT NULL,
    metric     text NOT NULL,
    shard      bigint NOT NULL,
    n          bigint NOT NULL,
    PRIMARY KEY (tenant_id, hour, channel, account_id, metric, shard)
);
