-- +goose Up
-- A person. The second step is on once totp_confirmed_at is set; a code of a
-- time step up to totp_last_step is spent.
CREATE TABLE app_user (
    id                  uuid PRIMARY KEY,
    email               text NOT NULL,
    email_key           text NOT NULL UNIQUE,
    email_verified_at   bigint,
    name                text NOT NULL,
    language            text NOT NULL DEFAULT 'tr',
    password_hash       text NOT NULL,
    password_changed_at bigint NOT NULL,
    totp_sealed         bytea,
    totp_confirmed_at   bigint,
    totp_last_step      bigint NOT NULL DEFAULT 0,
    created_at          bigint NOT NULL
);

-- Somebody in a workspace. user_id is null until an invitation is accepted;
-- the e-mail address is the invitation's. name is what the workspace calls
-- them, where that differs from their own.
CREATE TABLE membership (
    tenant_id    uuid NOT NULL REFERENCES tenant (id),
    id           uuid NOT NULL,
    user_id      uuid REFERENCES app_user (id),
    email        text NOT NULL DEFAULT '',
    email_key    text NOT NULL DEFAULT '',
    name         text NOT NULL DEFAULT '',
    role         text NOT NULL,
    state        text NOT NULL,
    suspended_at bigint,
    created_at   bigint NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX membership_person ON membership (user_id, tenant_id) WHERE state <> 'removed';
CREATE UNIQUE INDEX membership_invited ON membership (tenant_id, email_key) WHERE state = 'invited';
CREATE INDEX membership_user ON membership (user_id, created_at, id);
CREATE INDEX membership_present ON membership (tenant_id, created_at, id) WHERE state <> 'removed';
CREATE INDEX membership_state ON membership (tenant_id, state, created_at, id);

-- A family is the chain of sessions that workspace switches made of one
-- sign-in. prev_id is unique, so a session has one successor at most.
CREATE TABLE session (
    id                  uuid PRIMARY KEY,
    tenant_id           uuid NOT NULL,
    membership_id       uuid NOT NULL,
    user_id             uuid NOT NULL,
    family_id           uuid NOT NULL,
    prev_id             uuid UNIQUE,
    token_hash          bytea NOT NULL UNIQUE,
    kind                text NOT NULL,
    device_name         text NOT NULL,
    platform            text NOT NULL,
    app_id              uuid,
    scopes              text,
    ip                  text NOT NULL,
    verified_at         bigint NOT NULL,
    last_seen_at        bigint NOT NULL,
    absolute_expires_at bigint NOT NULL,
    closed_at           bigint,
    close_reason        text,
    created_at          bigint NOT NULL,
    FOREIGN KEY (tenant_id, membership_id) REFERENCES membership (tenant_id, id)
);
CREATE INDEX session_person ON session (user_id, created_at, id) WHERE closed_at IS NULL;
CREATE INDEX session_member ON session (tenant_id, membership_id) WHERE closed_at IS NULL;
CREATE INDEX session_family ON session (family_id) WHERE closed_at IS NULL;
CREATE INDEX session_age ON session (absolute_expires_at);

-- Somebody who asked for an account and has not proven the address yet.
CREATE TABLE sign_up (
    id             uuid PRIMARY KEY,
    email          text NOT NULL,
    email_key      text NOT NULL,
    name           text NOT NULL,
    workspace_name text NOT NULL,
    language       text NOT NULL,
    password_hash  text NOT NULL,
    token_hash     bytea NOT NULL UNIQUE,
    expires_at     bigint NOT NULL,
    created_at     bigint NOT NULL
);
CREATE INDEX sign_up_email ON sign_up (email_key, created_at);
CREATE INDEX sign_up_age ON sign_up (expires_at);

-- A link that makes the first workspace and its owner.
CREATE TABLE first_owner_link (
    token_hash bytea PRIMARY KEY,
    expires_at bigint NOT NULL
);

CREATE TABLE password_reset (
    id         uuid PRIMARY KEY,
    user_id    uuid NOT NULL REFERENCES app_user (id),
    token_hash bytea NOT NULL UNIQUE,
    expires_at bigint NOT NULL,
    created_at bigint NOT NULL
);
CREATE INDEX password_reset_user ON password_reset (user_id);
CREATE INDEX password_reset_age ON password_reset (expires_at);

-- The second step of a sign-in whose password was right.
CREATE TABLE mfa_ticket (
    id            uuid PRIMARY KEY,
    user_id       uuid NOT NULL REFERENCES app_user (id),
    tenant_id     uuid NOT NULL,
    membership_id uuid NOT NULL,
    token_hash    bytea NOT NULL UNIQUE,
    device_name   text NOT NULL,
    challenge     text,
    tries         bigint NOT NULL DEFAULT 0,
    expires_at    bigint NOT NULL,
    created_at    bigint NOT NULL
);
CREATE INDEX mfa_ticket_age ON mfa_ticket (expires_at);

CREATE TABLE recovery_code (
    user_id   uuid NOT NULL REFERENCES app_user (id),
    code_hash bytea NOT NULL,
    used_at   bigint,
    PRIMARY KEY (user_id, code_hash)
);

CREATE TABLE passkey (
    id            uuid PRIMARY KEY,
    user_id       uuid NOT NULL REFERENCES app_user (id),
    credential_id bytea NOT NULL UNIQUE,
    credential    text NOT NULL,
    name          text NOT NULL,
    last_used_at  bigint,
    created_at    bigint NOT NULL
);
CREATE INDEX passkey_list ON passkey (user_id, created_at, id);

-- A WebAuthn challenge that waits for its answer; user_id is null where the
-- answer will say who it is.
CREATE TABLE passkey_challenge (
    id         uuid PRIMARY KEY,
    user_id    uuid,
    data       text NOT NULL,
    expires_at bigint NOT NULL
);
CREATE INDEX passkey_challenge_age ON passkey_challenge (expires_at);

CREATE TABLE captcha_used (
    nonce      text PRIMARY KEY,
    expires_at bigint NOT NULL
);
CREATE INDEX captcha_used_age ON captcha_used (expires_at);

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
