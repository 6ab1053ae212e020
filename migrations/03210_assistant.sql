-- +goose Up
-- How the assistant behaves on the channels that name the configuration.
CREATE TABLE assistant_configuration (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL,
    name        text NOT NULL,
    name_key    text NOT NULL,
    active      text NOT NULL,
    delay_s     bigint NOT NULL,
    max_answers bigint NOT NULL,
    created_at  bigint NOT NULL,
    updated_at  bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, name_key)
);
CREATE INDEX assistant_configuration_list ON assistant_configuration (tenant_id, created_at, id);

-- What the assistant did with a customer's message, once for each: the answer's
-- item, or why it handed the conversation over.
CREATE TABLE assistant_answer (
    tenant_id       uuid NOT NULL,
    in_answer_to    uuid NOT NULL,
    conversation_id uuid NOT NULL,
    item_id         uuid,
    reason          text,
    at              bigint NOT NULL,
    PRIMARY KEY (tenant_id, in_answer_to)
);
