-- +goose Up
-- What an agent has begun to write and not sent.
CREATE TABLE conversation_draft (
    tenant_id       uuid NOT NULL,
    conversation_id uuid NOT NULL,
    agent_id        uuid NOT NULL,
    body            text NOT NULL,
    message_type    text NOT NULL,
    updated_at      bigint NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id, agent_id),
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversation (tenant_id, id)
);
