-- +goose Up
-- The key that a workspace signs its pushes with. The private part is sealed.
CREATE TABLE push_key (
    tenant_id   uuid NOT NULL,
    public_key  text NOT NULL,
    private_key bytea NOT NULL,
    created_at  bigint NOT NULL,
    PRIMARY KEY (tenant_id)
);

-- A browser that receives pushes for an agent while the session lasts that it was
-- given with. The address and its keys are sealed: who knows them may push. service_id
-- stands for the push service's host.
CREATE TABLE push_subscription (
    tenant_id     uuid NOT NULL,
    id            uuid NOT NULL,
    agent_id      uuid NOT NULL,
    session_id    uuid NOT NULL,
    service_id    uuid NOT NULL,
    endpoint_hash bytea NOT NULL,
    sealed        bytea NOT NULL,
    created_at    bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, endpoint_hash)
);
CREATE INDEX push_subscription_agent ON push_subscription (tenant_id, agent_id, created_at);
