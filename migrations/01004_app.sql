-- +goose Up
-- An app that may ask people for a session. Its client_id is public.
CREATE TABLE oauth_app (
    tenant_id     uuid NOT NULL REFERENCES tenant (id),
    id            uuid NOT NULL,
    client_id     text NOT NULL UNIQUE,
    name          text NOT NULL,
    redirect_uris text NOT NULL,
    scopes        text NOT NULL,
    public        boolean NOT NULL,
    created_by    uuid,
    created_at    bigint NOT NULL,
    updated_at    bigint NOT NULL,
    deleted_at    bigint,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX oauth_app_id ON oauth_app (id);
CREATE INDEX oauth_app_list ON oauth_app (tenant_id, created_at, id) WHERE deleted_at IS NULL;

-- A member's consent to an app, in the workspace that the app may act in; the
-- app itself may be another workspace's.
CREATE TABLE oauth_grant (
    tenant_id     uuid NOT NULL REFERENCES tenant (id),
    id            uuid NOT NULL,
    membership_id uuid NOT NULL,
    app_id        uuid NOT NULL,
    scopes        text NOT NULL,
    created_at    bigint NOT NULL,
    updated_at    bigint NOT NULL,
    revoked_at    bigint,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, membership_id) REFERENCES membership (tenant_id, id)
);
CREATE UNIQUE INDEX oauth_grant_one ON oauth_grant (tenant_id, membership_id, app_id) WHERE revoked_at IS NULL;
CREATE INDEX oauth_grant_list ON oauth_grant (tenant_id, membership_id, created_at, id) WHERE revoked_at IS NULL;

-- A code waits a minute for its app. Used ones are kept a day longer, so that
-- a second use is noticed.
CREATE TABLE oauth_code (
    tenant_id     uuid NOT NULL REFERENCES tenant (id),
    id            uuid NOT NULL,
    code_hash     bytea NOT NULL UNIQUE,
    grant_id      uuid NOT NULL,
    app_id        uuid NOT NULL,
    membership_id uuid NOT NULL,
    user_id       uuid NOT NULL,
    redirect_uri  text NOT NULL,
    scopes        text NOT NULL,
    challenge     text NOT NULL,
    expires_at    bigint NOT NULL,
    used_at       bigint,
    session_id    uuid,
    created_at    bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, grant_id) REFERENCES oauth_grant (tenant_id, id)
);
CREATE INDEX oauth_code_age ON oauth_code (expires_at);
CREATE INDEX session_app ON session (app_id, tenant_id, membership_id) WHERE closed_at IS NULL AND app_id IS NOT NULL;
