-- +goose Up
-- What the assistant did with a conversation, beside ai_state and
-- handover_reason, which the conversation itself has.
CREATE TABLE conversation_ai_record (
    tenant_id          uuid NOT NULL,
    conversation_id    uuid NOT NULL,
    since              bigint,
    configuration_id   uuid,
    configuration_name text,
    answers            bigint NOT NULL,
    last_answered_at   bigint,
    PRIMARY KEY (tenant_id, conversation_id),
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversation (tenant_id, id)
);

-- What the assistant understood of a conversation.
CREATE TABLE conversation_ai_attribute (
    tenant_id       uuid NOT NULL,
    conversation_id uuid NOT NULL,
    name            text NOT NULL,
    value           text NOT NULL,
    source          text NOT NULL,
    item_id         uuid,
    at              bigint NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id, name),
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversation (tenant_id, id)
);

-- up_to is the place in the timeline that the summary reaches.
CREATE TABLE conversation_summary (
    tenant_id          uuid NOT NULL,
    conversation_id    uuid NOT NULL,
    body               text NOT NULL,
    language           text NOT NULL,
    configuration_id   uuid,
    configuration_name text,
    up_to              bigint NOT NULL,
    requested_by       uuid,
    created_at         bigint NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id),
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversation (tenant_id, id)
);
