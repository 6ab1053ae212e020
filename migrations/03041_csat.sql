-- +goose Up
-- One survey for each closing of a conversation; closing is when it was
-- closed, 0 for a rating that came before.
CREATE TABLE csat_survey (
    tenant_id       uuid NOT NULL,
    id              uuid NOT NULL,
    conversation_id uuid NOT NULL,
    closing         bigint NOT NULL,
    rating          bigint,
    comment         text NOT NULL DEFAULT '',
    test            boolean NOT NULL,
    created_at      bigint NOT NULL,
    expires_at      bigint NOT NULL,
    responded_at    bigint,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, conversation_id, closing),
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversation (tenant_id, id)
);
