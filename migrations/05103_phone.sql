-- +goose Up
-- A number, or the beginning of numbers, that may not call.
CREATE TABLE phone_block (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL,
    pattern    text NOT NULL,
    is_prefix  boolean NOT NULL,
    note       text NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, pattern, is_prefix)
);

-- How a workspace telephones, as JSON.
CREATE TABLE phone_settings (
    tenant_id  uuid NOT NULL PRIMARY KEY,
    settings   text NOT NULL,
    updated_at bigint NOT NULL
);

-- An agent with a phone. The username is what the phone signs in as at the exchange,
-- empty where no credentials were made; the password is nowhere here.
CREATE TABLE phone_member (
    tenant_id    uuid NOT NULL,
    agent_id     uuid NOT NULL,
    extension    text NOT NULL,
    rings        boolean NOT NULL,
    device       text NOT NULL,
    outside_e164 text,
    username     text NOT NULL,
    rung_at      bigint NOT NULL,
    busy_until   bigint NOT NULL,
    created_at   bigint NOT NULL,
    PRIMARY KEY (tenant_id, agent_id),
    UNIQUE (tenant_id, extension)
);
CREATE INDEX phone_member_list ON phone_member (tenant_id, created_at, agent_id);
CREATE UNIQUE INDEX phone_member_username ON phone_member (username) WHERE username <> '';

-- What callers hear at a point of a call: a text that is spoken, or a file.
CREATE TABLE phone_greeting (
    tenant_id   uuid NOT NULL,
    slot        text NOT NULL,
    mode        text NOT NULL,
    text        text NOT NULL,
    voice       text NOT NULL,
    name        text NOT NULL,
    blob_id     uuid,
    sha256      text NOT NULL,
    duration_ms bigint NOT NULL,
    updated_at  bigint NOT NULL,
    PRIMARY KEY (tenant_id, slot)
);

-- What the exchange is asked to do, in this order.
CREATE TABLE phone_command (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL,
    command    text NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX phone_command_order ON phone_command (id);

-- A workspace's own SIP line. Its password is nowhere here.
CREATE TABLE phone_line (
    tenant_id  uuid NOT NULL PRIMARY KEY,
    id         uuid NOT NULL,
    server     text NOT NULL,
    transport  text NOT NULL,
    encryption text NOT NULL,
    username   text NOT NULL,
    auth_user  text NOT NULL,
    register   boolean NOT NULL,
    e164       text NOT NULL,
    status     text NOT NULL,
    last_error text NOT NULL,
    updated_at bigint NOT NULL
);

-- A call. It is open until its last leg has ended; plan is what is to be done next,
-- and due_at when.
CREATE TABLE phone_call (
    tenant_id       uuid NOT NULL,
    id              uuid NOT NULL,
    direction       text NOT NULL,
    via             text NOT NULL,
    state           text NOT NULL,
    open            boolean NOT NULL,
    disposition     text NOT NULL,
    from_e164       text NOT NULL,
    to_e164         text NOT NULL,
    number_id       uuid,
    contact_id      uuid,
    conversation_id uuid,
    item_id         uuid,
    agent_id        uuid,
    bridge_id       uuid NOT NULL,
    ended_by        text NOT NULL,
    cause           text NOT NULL,
    started_at      bigint NOT NULL,
    ringing_at      bigint,
    answered_at     bigint,
    held_at         bigint,
    ended_at        bigint,
    hold_us         bigint NOT NULL,
    billed_s        bigint NOT NULL,
    cost            bigint NOT NULL,
    recording_id    uuid,
    recording_ms    bigint NOT NULL,
    keep_until      bigint,
    voicemail       boolean NOT NULL,
    heard_at        bigint,
    heard_by        uuid,
    dismissed_at    bigint,
    to_return       boolean NOT NULL,
    callback        boolean NOT NULL,
    plan            text NOT NULL,
    due_at          bigint,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX phone_call_list ON phone_call (tenant_id, started_at, id);
CREATE INDEX phone_call_open ON phone_call (tenant_id) WHERE open;
CREATE INDEX phone_call_due ON phone_call (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX phone_call_keep ON phone_call (keep_until) WHERE keep_until IS NOT NULL;
CREATE INDEX phone_call_return ON phone_call (tenant_id, from_e164) WHERE to_return;
CREATE INDEX phone_call_unheard ON phone_call (tenant_id) WHERE voicemail AND heard_at IS NULL;

-- One telephone or line in a call. The events of the exchange are applied once, by
-- last_n. paid_s is for how many seconds credit is set aside.
CREATE TABLE phone_leg (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL,
    call_id     uuid NOT NULL,
    role        text NOT NULL,
    state       text NOT NULL,
    open        boolean NOT NULL,
    agent_id    uuid,
    device      text NOT NULL,
    trunk_id    uuid,
    number      text NOT NULL,
    created_at  bigint NOT NULL,
    ringing_at  bigint,
    answered_at bigint,
    ended_at    bigint,
    cause       text NOT NULL,
    last_n      bigint NOT NULL,
    last_at     bigint NOT NULL,
    rate        text,
    paid_s      bigint NOT NULL,
    paid_until  bigint,
    max_s       bigint NOT NULL,
    warned      boolean NOT NULL,
    billed_s    bigint NOT NULL,
    cost        bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, call_id) REFERENCES phone_call (tenant_id, id)
);
CREATE INDEX phone_leg_call ON phone_leg (tenant_id, call_id);
CREATE INDEX phone_leg_open ON phone_leg (tenant_id, agent_id) WHERE open;
CREATE INDEX phone_leg_paid ON phone_leg (paid_until) WHERE open AND paid_until IS NOT NULL;

-- How far the events of the exchange were applied. There is one row.
CREATE TABLE phone_cursor (
    id     bigint NOT NULL PRIMARY KEY,
    cursor bigint NOT NULL
);
