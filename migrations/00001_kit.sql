-- +goose Up
CREATE TABLE tenant (
    id         uuid PRIMARY KEY,
    slug       text NOT NULL UNIQUE,
    name       text NOT NULL,
    licences   text NOT NULL,
    demo       boolean NOT NULL DEFAULT false,
    -- Members without a second step can only set one up.
    require_two_factor boolean NOT NULL DEFAULT false,
    -- Since when nobody of the workspace gets in and nothing of it is sent.
    suspended_at bigint,
    -- Set once its deletion has begun: then it cannot be resumed.
    deleting     boolean NOT NULL DEFAULT false,
    created_at bigint NOT NULL
);
CREATE INDEX tenant_suspended ON tenant (suspended_at) WHERE suspended_at IS NOT NULL;

-- A row without a sequence waits for the dispatcher; with one it is history. Rows
-- are numbered in the order in which they came: on SQLite that is the rowid, which
-- ends every index there. Ids would follow the clocks of the nodes.
CREATE TABLE outbox (
    /*postgres position bigint GENERATED ALWAYS AS IDENTITY, */
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL,
    type        text NOT NULL,
    occurred_at bigint NOT NULL,
    sequence    bigint,
    test        boolean NOT NULL,
    emitted     boolean NOT NULL,
    target      uuid,
    payload     text NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX outbox_waiting ON outbox (tenant_id /*postgres , position */) WHERE sequence IS NULL;
CREATE UNIQUE INDEX outbox_sequence ON outbox (tenant_id, sequence) WHERE sequence IS NOT NULL;

CREATE TABLE tenant_sequence (
    tenant_id uuid PRIMARY KEY,
    value     bigint NOT NULL
);

CREATE TABLE audit_log (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL,
    at         bigint NOT NULL,
    actor_kind text NOT NULL,
    actor_id   uuid,
    ip         text NOT NULL,
    trace_id   text NOT NULL,
    action     text NOT NULL,
    object     text NOT NULL,
    details    text NOT NULL,
    PRIMARY KEY (tenant_id, id)
);

-- next_at is when a job is due; while one is held it is when the lease ends,
-- so a dead holder's job becomes due by itself. account_id is the account on
-- whose server the job waits, the zero id where it talks to nobody outside.
-- attempts are those that failed, lost counts the processes that died with it.
-- receipt is what a server outside accepted of the job, which is not sent again.
CREATE TABLE job (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL,
    kind       text NOT NULL,
    account_id uuid NOT NULL,
    payload    text NOT NULL,
    test       boolean NOT NULL,
    next_at    bigint NOT NULL,
    claim_id   uuid,
    node_id    uuid, -- the process behind the claim
    attempts   bigint NOT NULL DEFAULT 0,
    lost       bigint NOT NULL DEFAULT 0,
    last_error text,
    receipt    text,
    dead_at    bigint,
    created_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX job_due ON job (kind, tenant_id, next_at) WHERE dead_at IS NULL;
CREATE INDEX job_due_account ON job (kind, tenant_id, account_id, next_at) WHERE dead_at IS NULL;
CREATE INDEX job_dead ON job (dead_at, id) WHERE dead_at IS NOT NULL;
CREATE INDEX job_dead_kind ON job (kind, dead_at, id) WHERE dead_at IS NOT NULL;

-- An account whose server did not answer in time: until then none of its jobs
-- of this kind is begun.
CREATE TABLE job_hold (
    tenant_id  uuid NOT NULL,
    kind       text NOT NULL,
    account_id uuid NOT NULL,
    until      bigint NOT NULL,
    failures   bigint NOT NULL,
    reason     text NOT NULL,
    error      text NOT NULL,
    PRIMARY KEY (tenant_id, account_id, kind)
);

CREATE TABLE idempotency (
    tenant_id  uuid NOT NULL,
    caller_id  uuid NOT NULL,
    key        text NOT NULL,
    row_id     text NOT NULL,
    request    bytea NOT NULL,
    answer     text,
    created_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, caller_id, key, row_id)
);
CREATE INDEX idempotency_age ON idempotency (created_at);

-- Mail that had nowhere to go: no mail server is configured. The tenant is the
-- zero id for mail that concerns a person and no workspace.
CREATE TABLE mail_outbox (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL,
    recipient  text NOT NULL,
    subject    text NOT NULL,
    sealed     bytea NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX mail_outbox_list ON mail_outbox (tenant_id, created_at, id);

-- How many recipients a workspace's mail had over the operator's mail server on
-- the latest day that it sent something.
CREATE TABLE mail_use (
    tenant_id  uuid PRIMARY KEY,
    day        bigint NOT NULL,
    recipients bigint NOT NULL
);
