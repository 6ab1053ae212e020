-- +goose Up
-- The exchange's own store, never in the database of the application or its backups.
CREATE TABLE exchange_device (
    tenant_id uuid NOT NULL,
    username  text NOT NULL PRIMARY KEY,
    extension text NOT NULL,
    name      text NOT NULL,
    ha1       bytea NOT NULL, -- sealed
    UNIQUE (tenant_id, extension)
);

CREATE TABLE exchange_trunk (
    tenant_id    uuid NOT NULL,
    id           uuid NOT NULL,
    server       text NOT NULL,
    transport    text NOT NULL,
    encryption   text NOT NULL,
    username     text NOT NULL,
    auth_user    text NOT NULL,
    register     boolean NOT NULL,
    contact_user text NOT NULL, -- what calls from the line are addressed to
    ha1          bytea NOT NULL, -- by realm, sealed
    PRIMARY KEY (tenant_id, id)
);

CREATE TABLE exchange_registration (
    tenant_id  uuid NOT NULL,
    username   text NOT NULL,
    contact    text NOT NULL,
    source     text NOT NULL,
    transport  text NOT NULL,
    agent      text NOT NULL,
    call_id    text NOT NULL,
    cseq       bigint NOT NULL,
    since      bigint NOT NULL,
    expires_at bigint NOT NULL,
    PRIMARY KEY (username, contact)
);

-- The legs that exist. One that is still here at a start was cut by a crash.
CREATE TABLE exchange_leg (
    tenant_id uuid NOT NULL,
    id        uuid NOT NULL PRIMARY KEY,
    n         bigint NOT NULL
);

CREATE TABLE exchange_event (
    position  integer PRIMARY KEY AUTOINCREMENT,
    tenant_id uuid NOT NULL,
    type      text NOT NULL,
    leg_id    uuid NOT NULL,
    n         bigint NOT NULL,
    at        bigint NOT NULL,
    body      text NOT NULL
);

CREATE INDEX exchange_event_leg ON exchange_event (tenant_id, leg_id);

-- When the exchange was last known to be alive.
CREATE TABLE exchange_alive (
    id integer PRIMARY KEY,
    at bigint NOT NULL
);

-- Which exchange this is.
CREATE TABLE exchange_self (
    one integer PRIMARY KEY,
    id  uuid NOT NULL
);
