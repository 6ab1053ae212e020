-- +goose Up
-- What an agent has begun to write and not sent: one reply and one note for each
-- conversation. The type is part of the key, so that a note never takes the
-- place of a reply. Its uploads name it in attachment.draft_id.
CREATE TABLE conversation_draft (
    tenant_id       uuid NOT NULL,
    id              uuid NOT NULL,
    conversation_id uuid NOT NULL,
    agent_id        uuid NOT NULL,
    message_type    text NOT NULL,
    body            text NOT NULL,
    updated_at      bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, conversation_id, agent_id, message_type),
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversation (tenant_id, id)
);
