-- +goose Up
-- What the provider said to a sign-up that failed, for the session that began it.
CREATE TABLE partner_signup_failure (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL,
    session_id uuid NOT NULL,
    step       text NOT NULL,
    words      text NOT NULL,
    expires_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
