-- +goose Up
-- How an agent wants to be told of what concerns them. Who has no row has the
-- defaults.
CREATE TABLE notice_preference (
    tenant_id   uuid NOT NULL,
    agent_id    uuid NOT NULL,
    preferences text NOT NULL,
    updated_at  bigint NOT NULL,
    PRIMARY KEY (tenant_id, agent_id)
);
