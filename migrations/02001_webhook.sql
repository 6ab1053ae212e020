-- +goose Up
CREATE TABLE webhook_endpoint (
    tenant_id         uuid NOT NULL,
    id                uuid NOT NULL,
    keyless_id        uuid NOT NULL,
    module            text NOT NULL,
    address           text NOT NULL,
    description       text NOT NULL,
    events            text NOT NULL,
    status            text NOT NULL,
    strict_order      boolean NOT NULL,
    rate_limit        bigint NOT NULL,
    secret_sealed     bytea NOT NULL,
    secret_last4      text NOT NULL,
    old_secret_sealed bytea,
    old_secret_until  bigint,
    failures          bigint NOT NULL DEFAULT 0,
    failing_since     bigint,
    disabled_at       bigint,
    disabled_code     bigint,
    disabled_class    text,
    disabled_reason   text,
    probes            bigint NOT NULL DEFAULT 0,
    dead_at           bigint,
    mails             bigint NOT NULL DEFAULT 0,
    created_by        uuid,
    created_at        bigint NOT NULL,
    updated_at        bigint NOT NULL,
    deleted_at        bigint,
    PRIMARY KEY (tenant_id, id)
);
-- Whoever knows the keyless id may call the routes that need no credential; the
-- id itself is an ordinary one, which readers, mails and receivers see.
CREATE UNIQUE INDEX webhook_endpoint_keyless ON webhook_endpoint (keyless_id);
CREATE INDEX webhook_endpoint_list ON webhook_endpoint (tenant_id, module, created_at, id);

-- The queue of one endpoint. run_at is when somebody should look at it: when
-- its next delivery is due and, while a node holds it, when that node's lease
-- ends. Without a run_at nothing waits. Nothing is sent before hold_until. What
-- is queued is due at queued_at at the earliest, which never goes back: another
-- node's clock, or a transaction that began early and came late, must not put
-- later events before earlier ones. held_before is the hold_until that a test of
-- a disabled endpoint put aside, until its probe is answered.
CREATE TABLE webhook_lane (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL,
    run_at      bigint,
    hold_until  bigint NOT NULL DEFAULT 0,
    held_before bigint,
    queued_at   bigint NOT NULL DEFAULT 0,
    claim_id    uuid,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, id) REFERENCES webhook_endpoint (tenant_id, id)
);
CREATE UNIQUE INDEX webhook_lane_id ON webhook_lane (id);
CREATE INDEX webhook_lane_due ON webhook_lane (run_at) WHERE run_at IS NOT NULL;

-- base is how many attempts there were when a person last queued the delivery:
-- the schedule begins anew there. The columns from attempted_at on are those of
-- the newest attempt; the ones before it stand in webhook_attempt. Most deliveries
-- need one attempt, and so one row. The answer comes last, where a reader of the
-- rest need not pass. Calls without a credential bring an id alone, so the key
-- begins with it. There is no foreign key to the endpoint: checking it was most of the
-- work of an insert. What is queued while its endpoint is deleted leaves with its event.
CREATE TABLE webhook_delivery (
    tenant_id    uuid NOT NULL,
    id           uuid NOT NULL,
    module       text NOT NULL,
    endpoint_id  uuid NOT NULL,
    event_id     uuid NOT NULL,
    event_type   text NOT NULL,
    status       text NOT NULL,
    next_at      bigint NOT NULL,
    attempts     bigint NOT NULL DEFAULT 0,
    base         bigint NOT NULL DEFAULT 0,
    created_at   bigint NOT NULL,
    delivered_at bigint,
    attempted_at bigint,
    duration_us  bigint,
    status_code  bigint,
    error_class  text,
    error_text   text,
    answer       bytea,
    PRIMARY KEY (id, tenant_id)
);
CREATE INDEX webhook_delivery_waiting ON webhook_delivery (tenant_id, endpoint_id, next_at, event_id) WHERE status IN ('pending', 'failed');
CREATE INDEX webhook_delivery_history ON webhook_delivery (tenant_id, endpoint_id, created_at, id);
CREATE INDEX webhook_delivery_trouble ON webhook_delivery (tenant_id, endpoint_id, status, created_at, id) WHERE status IN ('failed', 'exhausted');

CREATE TABLE webhook_attempt (
    tenant_id    uuid NOT NULL,
    delivery_id  uuid NOT NULL,
    number       bigint NOT NULL,
    attempted_at bigint NOT NULL,
    duration_us  bigint NOT NULL,
    status_code  bigint,
    error_class  text,
    error_text   text,
    answer       bytea,
    PRIMARY KEY (tenant_id, delivery_id, number),
    FOREIGN KEY (tenant_id, delivery_id) REFERENCES webhook_delivery (tenant_id, id)
);

-- How many requests arrived and failed, by endpoint and hour, written with the attempts
-- themselves. An hour has the slot of its hour of the day, so a day needs 24 rows and
-- nothing is cleaned.
CREATE TABLE webhook_hour (
    tenant_id   uuid NOT NULL,
    endpoint_id uuid NOT NULL,
    slot        bigint NOT NULL,
    hour        bigint NOT NULL,
    delivered   bigint NOT NULL,
    failed      bigint NOT NULL,
    PRIMARY KEY (tenant_id, endpoint_id, slot)
);

-- after_event and reached say how far a recovery has come.
CREATE TABLE webhook_recovery (
    tenant_id         uuid NOT NULL,
    id                uuid NOT NULL,
    endpoint_id       uuid NOT NULL,
    since             bigint NOT NULL,
    until             bigint NOT NULL,
    include_delivered boolean NOT NULL,
    status            text NOT NULL,
    reached           bigint NOT NULL,
    after_event       uuid NOT NULL,
    examined          bigint NOT NULL DEFAULT 0,
    queued            bigint NOT NULL DEFAULT 0,
    created_at        bigint NOT NULL,
    finished_at       bigint,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, endpoint_id) REFERENCES webhook_endpoint (tenant_id, id)
);
CREATE INDEX webhook_recovery_list ON webhook_recovery (tenant_id, endpoint_id, created_at, id);

CREATE TABLE webhook_setting (
    tenant_id uuid PRIMARY KEY,
    keyless   boolean NOT NULL
);
