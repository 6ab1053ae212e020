-- +goose Up
CREATE TABLE app_user (
    id            uuid PRIMARY KEY,
    email         text NOT NULL,
    email_key     text NOT NULL UNIQUE,
    name          text NOT NULL,
    password_hash text NOT NULL,
    created_at    bigint NOT NULL
);

CREATE TABLE membership (
    tenant_id  uuid NOT NULL REFERENCES tenant (id),
    id         uuid NOT NULL,
    user_id    uuid NOT NULL REFERENCES app_user (id),
    role       text NOT NULL,
    state      text NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (user_id, tenant_id)
);

CREATE TABLE session (
    id                  uuid PRIMARY KEY,
    tenant_id           uuid NOT NULL,
    membership_id       uuid NOT NULL,
    user_id             uuid NOT NULL,
    token_hash          bytea NOT NULL UNIQUE,
    device_name         text NOT NULL,
    ip                  text NOT NULL,
    verified_at         bigint NOT NULL,
    last_seen_at        bigint NOT NULL,
    absolute_expires_at bigint NOT NULL,
    closed_at           bigint,
    close_reason        text,
    created_at          bigint NOT NULL,
    FOREIGN KEY (tenant_id, membership_id) REFERENCES membership (tenant_id, id)
);

CREATE TABLE api_key (
    id            uuid PRIMARY KEY,
    tenant_id     uuid NOT NULL REFERENCES tenant (id),
    name          text NOT NULL,
    environment   text NOT NULL,
    scopes        text NOT NULL,
    token_hash    bytea NOT NULL UNIQUE,
    last4         text NOT NULL,
    created_by    uuid,
    expires_at    bigint,
    revoked_at    bigint,
    created_at    bigint NOT NULL
);
CREATE INDEX api_key_tenant ON api_key (tenant_id, id);
