-- +goose Up
-- A client that registered itself (RFC 7591). It belongs to no workspace: who approves it
-- decides where it may act. One that was not used for a month is removed.
CREATE TABLE oauth_client (
    id            uuid PRIMARY KEY,
    client_id     text NOT NULL UNIQUE,
    name          text NOT NULL,
    redirect_uris text NOT NULL,
    scopes        text NOT NULL,
    created_at    bigint NOT NULL,
    used_at       bigint NOT NULL
);
CREATE INDEX oauth_client_age ON oauth_client (used_at);
