-- +goose Up
CREATE TABLE dlp_exception (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL,
    email      text NOT NULL,
    email_key  text NOT NULL,
    note       text NOT NULL,
    created_by uuid,
    created_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, email_key)
);

CREATE TABLE dlp_rule (
    tenant_id    uuid NOT NULL,
    id           uuid NOT NULL,
    name         text NOT NULL,
    name_key     text NOT NULL,
    pattern_type text NOT NULL,
    pattern      text NOT NULL,
    options      text NOT NULL,
    action       text NOT NULL,
    severity     text NOT NULL,
    enabled      boolean NOT NULL,
    created_by   uuid,
    created_at   bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, name_key)
);

-- How often a rule took part in an incident, by day since 1970.
CREATE TABLE dlp_rule_hit (
    tenant_id uuid NOT NULL,
    rule_id   uuid NOT NULL,
    day       bigint NOT NULL,
    hits      bigint NOT NULL,
    PRIMARY KEY (tenant_id, rule_id, day)
);

-- ref names the mail, so that a second attempt to send it makes no second
-- incident.
CREATE TABLE dlp_incident (
    tenant_id      uuid NOT NULL,
    id             uuid NOT NULL,
    at             bigint NOT NULL,
    source         text NOT NULL,
    ref            text NOT NULL,
    message_id     text NOT NULL,
    sender         text NOT NULL,
    recipients     text NOT NULL,
    subject_masked text NOT NULL,
    size           bigint NOT NULL,
    sha256         text NOT NULL,
    matches        text NOT NULL,
    unscanned      text NOT NULL,
    action_taken   text NOT NULL,
    severity       text NOT NULL,
    status         text NOT NULL,
    note           text NOT NULL,
    created_by     uuid,
    reviewed_by    uuid,
    reviewed_at    bigint,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, ref)
);
CREATE INDEX dlp_incident_status ON dlp_incident (tenant_id, status, id);

CREATE TABLE mail_settings (
    tenant_id   uuid NOT NULL PRIMARY KEY,
    admin_cidrs text NOT NULL,
    updated_at  bigint NOT NULL
);

CREATE TABLE gdpr_request (
    tenant_id    uuid NOT NULL,
    id           uuid NOT NULL,
    kind         text NOT NULL,
    mailbox      text NOT NULL,
    state        text NOT NULL,
    note         text NOT NULL,
    due_at       bigint NOT NULL,
    requested_by uuid,
    created_at   bigint NOT NULL,
    closed_at    bigint,
    PRIMARY KEY (tenant_id, id)
);

-- results are what the last look at each DNS record found. rounds counts the
-- scheduled looks in the present state, bad_rounds those in a row that found a
-- mandatory record missing or wrong, lost_rounds those without the ownership
-- record.
CREATE TABLE mail_domain (
    tenant_id      uuid NOT NULL,
    id             uuid NOT NULL,
    domain         text NOT NULL,
    selector       text NOT NULL,
    routing        text NOT NULL,
    state          text NOT NULL,
    problem        text NOT NULL,
    rsa_sealed     bytea NOT NULL,
    ed25519_sealed bytea NOT NULL,
    rsa_public     text NOT NULL,
    ed25519_public text NOT NULL,
    results        text NOT NULL,
    rounds         bigint NOT NULL,
    bad_rounds     bigint NOT NULL,
    lost_rounds    bigint NOT NULL,
    state_at       bigint NOT NULL,
    checked_at     bigint,
    verified_at    bigint,
    created_by     uuid,
    created_at     bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, domain)
);

-- Which workspace has shown that a domain is its own: one at most.
CREATE TABLE mail_domain_owner (
    domain    text NOT NULL PRIMARY KEY,
    tenant_id uuid NOT NULL,
    domain_id uuid NOT NULL,
    since     bigint NOT NULL
);
