-- +goose Up
CREATE TABLE webhook_endpoint (
    tenant_id      uuid NOT NULL REFERENCES tenant (id),
    id             uuid NOT NULL,
    module         text NOT NULL,
    address        text NOT NULL,
    description    text NOT NULL,
    events         text NOT NULL,
    status         text NOT NULL,
    disabled_reason text,
    secret_sealed  bytea NOT NULL,
    secret_last4   text NOT NULL,
    created_by     uuid,
    created_at     bigint NOT NULL,
    updated_at     bigint NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX webhook_endpoint_id ON webhook_endpoint (id);
CREATE INDEX webhook_endpoint_list ON webhook_endpoint (tenant_id, module, created_at, id);

CREATE TABLE webhook_delivery (
    tenant_id        uuid NOT NULL,
    id               uuid NOT NULL,
    endpoint_id      uuid NOT NULL,
    event_id         uuid NOT NULL,
    event_type       text NOT NULL,
    status           text NOT NULL,
    next_at          bigint NOT NULL,
    claim_id         uuid,
    attempts         bigint NOT NULL DEFAULT 0,
    last_status_code bigint,
    last_error       text,
    created_at       bigint NOT NULL,
    delivered_at     bigint,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, endpoint_id) REFERENCES webhook_endpoint (tenant_id, id),
    UNIQUE (tenant_id, event_id, endpoint_id)
);
CREATE UNIQUE INDEX webhook_delivery_id ON webhook_delivery (id);
CREATE INDEX webhook_delivery_due ON webhook_delivery (next_at) WHERE status IN ('pending', 'failed');
CREATE INDEX webhook_delivery_history ON webhook_delivery (tenant_id, endpoint_id, created_at, id);
