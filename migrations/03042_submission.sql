-- +goose Up
-- A form that was filled in, as it was sent.
CREATE TABLE form_submission (
    tenant_id       uuid NOT NULL,
    id              uuid NOT NULL,
    account_id      uuid NOT NULL,
    form            text NOT NULL,
    fields          text NOT NULL,
    contact_id      uuid NOT NULL,
    conversation_id uuid NOT NULL,
    opportunity_id  uuid NOT NULL,
    test            boolean NOT NULL,
    created_at      bigint NOT NULL,
    PRIMARY KEY (tenant_id, id)
);

-- What was submitted lately: guard is the sender's own id of a submission, or
-- a hash of what it says.
CREATE TABLE form_guard (
    tenant_id     uuid NOT NULL,
    account_id    uuid NOT NULL,
    guard         text NOT NULL,
    submission_id uuid NOT NULL,
    at            bigint NOT NULL,
    PRIMARY KEY (tenant_id, account_id, guard)
);

-- A chance to sell that somebody's interest opened.
CREATE TABLE opportunity (
    tenant_id       uuid NOT NULL,
    id              uuid NOT NULL,
    title           text NOT NULL,
    stage           text NOT NULL,
    source          text NOT NULL,
    contact_id      uuid NOT NULL,
    conversation_id uuid,
    test            boolean NOT NULL,
    created_at      bigint NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX opportunity_list ON opportunity (tenant_id, created_at, id);
CREATE INDEX opportunity_contact ON opportunity (tenant_id, contact_id, created_at, id);
