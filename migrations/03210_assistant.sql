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
    -- The language model that answers; model is NULL where the embedded engine does.
    model         text,
    address       text NOT NULL,
    key_sealed    bytea,
    input_price   bigint NOT NULL,
    output_price  bigint NOT NULL,
    daily_tokens  bigint NOT NULL,
    daily_money   bigint NOT NULL,
    daily_seconds bigint NOT NULL,
    -- Why its server did not answer, how often in a row, and until when it is not asked.
    failure      text NOT NULL,
    failures     bigint NOT NULL,
    paused_until bigint,
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

-- What the language model of a configuration used on a day (UTC): what was reserved
-- before each call, less what the call left over. Money is in millionths of a minor
-- unit, time in milliseconds.
CREATE TABLE assistant_spending (
    tenant_id        uuid NOT NULL,
    configuration_id uuid NOT NULL,
    day              bigint NOT NULL,
    tokens           bigint NOT NULL,
    money            bigint NOT NULL,
    time_ms          bigint NOT NULL,
    PRIMARY KEY (tenant_id, configuration_id, day),
    FOREIGN KEY (tenant_id, configuration_id) REFERENCES assistant_configuration (tenant_id, id) ON DELETE CASCADE
);
