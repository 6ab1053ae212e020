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

-- A default that is null is not set.
CREATE TABLE mail_settings (
    tenant_id              uuid NOT NULL PRIMARY KEY,
    admin_cidrs            text NOT NULL,
    default_quota_mb       bigint,
    min_password_length    bigint,
    auto_suspend           boolean NOT NULL,
    journaling             boolean NOT NULL,
    journal_retention_days bigint NOT NULL,
    dlp_messaging          boolean NOT NULL,
    forward_allowed        text NOT NULL,
    updated_at             bigint NOT NULL
);

-- Mails of the journal as they were handed over; recipients say who was named
-- where, Bcc included. One with a legal hold (held_at) is kept past its retention.
CREATE TABLE mail_journal (
    tenant_id       uuid NOT NULL,
    id              uuid NOT NULL,
    at              bigint NOT NULL,
    direction       text NOT NULL,
    sender          text NOT NULL,
    recipients      text NOT NULL,
    subject         text NOT NULL,
    message_id      text NOT NULL,
    size            bigint NOT NULL,
    blob_id         uuid NOT NULL,
    retention_until bigint NOT NULL,
    held_at         bigint,
    held_by         uuid,
    hold_reason     text NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX mail_journal_end ON mail_journal (retention_until) WHERE held_at IS NULL;

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

-- targets are where the mail of a mailbox that forwards goes. used_bytes is how
-- much mail an inbox has taken.
CREATE TABLE mail_mailbox (
    tenant_id     uuid NOT NULL,
    id            uuid NOT NULL,
    domain_id     uuid NOT NULL,
    address       text NOT NULL,
    kind          text NOT NULL,
    account_id    uuid,
    targets       text NOT NULL,
    password_hash text NOT NULL,
    quota_mb      bigint,
    used_bytes    bigint NOT NULL,
    daily_limit   bigint,
    state         text NOT NULL,
    created_by    uuid,
    created_at    bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, address),
    FOREIGN KEY (tenant_id, domain_id) REFERENCES mail_domain (tenant_id, id)
);
CREATE INDEX mail_mailbox_domain ON mail_mailbox (tenant_id, domain_id);

-- Addresses other than its own that a mailbox may send as.
CREATE TABLE mail_send_as (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL,
    mailbox_id uuid NOT NULL,
    address    text NOT NULL,
    granted_by uuid,
    created_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, mailbox_id, address),
    FOREIGN KEY (tenant_id, mailbox_id) REFERENCES mail_mailbox (tenant_id, id) ON DELETE CASCADE
);

-- How many recipients a mailbox has sent to, by hour since 1970.
CREATE TABLE mail_sent_hour (
    tenant_id  uuid NOT NULL,
    mailbox_id uuid NOT NULL,
    hour       bigint NOT NULL,
    recipients bigint NOT NULL,
    PRIMARY KEY (tenant_id, mailbox_id, hour),
    FOREIGN KEY (tenant_id, mailbox_id) REFERENCES mail_mailbox (tenant_id, id) ON DELETE CASCADE
);

-- marks are the statuses of the setup's steps that a person marks.
CREATE TABLE mail_setup (
    tenant_id    uuid NOT NULL PRIMARY KEY,
    dismissed    boolean NOT NULL,
    completed_at bigint,
    marks        text NOT NULL,
    updated_at   bigint NOT NULL
);

-- Mails on their way out. sender is that of the envelope, "" for a report;
-- report_to is who is told that a recipient cannot be reached, "" for nobody.
CREATE TABLE mail_queue (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL,
    mailbox_id  uuid,
    origin      text NOT NULL,
    sender      text NOT NULL,
    report_to   text NOT NULL,
    message_id  text NOT NULL,
    subject     text NOT NULL,
    size        bigint NOT NULL,
    blob_id     uuid NOT NULL,
    state       text NOT NULL,
    created_at  bigint NOT NULL,
    expires_at  bigint NOT NULL,
    delayed_at  bigint,
    finished_at bigint,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX mail_queue_finished ON mail_queue (finished_at);

CREATE TABLE mail_queue_recipient (
    tenant_id   uuid NOT NULL,
    mail_id     uuid NOT NULL,
    address     text NOT NULL,
    destination text NOT NULL,
    state       text NOT NULL,
    attempts    bigint NOT NULL,
    answer      text NOT NULL,
    at          bigint,
    PRIMARY KEY (tenant_id, mail_id, address),
    FOREIGN KEY (tenant_id, mail_id) REFERENCES mail_queue (tenant_id, id) ON DELETE CASCADE
);

-- Addresses that do not exist, so that nobody sends to them again.
CREATE TABLE mail_suppression (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL,
    address    text NOT NULL,
    answer     text NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, address)
);

-- How other domains want their mail (MTA-STS), as it was seen last.
CREATE TABLE mail_sts_policy (
    domain     text NOT NULL PRIMARY KEY,
    policy_id  text NOT NULL,
    policy     text NOT NULL,
    expires_at bigint NOT NULL
);

-- How connections to mail servers of a destination were encrypted, counted by day
-- until they are reported. sender is the domain of the workspace; policy_key stands
-- for policy, which may be long.
CREATE TABLE mail_tls_session (
    tenant_id   uuid NOT NULL,
    day         bigint NOT NULL,
    sender      text NOT NULL,
    destination text NOT NULL,
    policy_key  uuid NOT NULL,
    policy      text NOT NULL,
    server      text NOT NULL,
    failure     text NOT NULL,
    sessions    bigint NOT NULL,
    PRIMARY KEY (tenant_id, day, sender, destination, policy_key, server, failure)
);
CREATE INDEX mail_tls_session_day ON mail_tls_session (day);

-- source is the server that a mailbox's mail is to be copied from, without a
-- password.
CREATE TABLE mail_migration (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL,
    mailbox    text NOT NULL,
    source     text NOT NULL,
    state      text NOT NULL,
    created_by uuid,
    created_at bigint NOT NULL,
    ended_at   bigint,
    PRIMARY KEY (tenant_id, id)
);
