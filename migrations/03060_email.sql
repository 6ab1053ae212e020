-- +goose Up
-- What belongs to an e-mail account beside its settings: the address at the
-- installation that mail is forwarded to, and where polling its mailbox
-- elsewhere stands. The poll itself is a job that has the account's id.
-- verified_key is the address for which the workspace entered a mailed code:
-- it counts only while it is the mailbox's own. code_hash belongs to a code that
-- was mailed and not entered yet.
CREATE TABLE email_mailbox (
    tenant_id    uuid NOT NULL,
    account_id   uuid NOT NULL,
    local_part   text NOT NULL,
    address_key  text NOT NULL,
    polls        boolean NOT NULL,
    uid_validity bigint,
    last_uid     bigint,
    failures     bigint NOT NULL DEFAULT 0,
    last_error   text,
    last_poll_at bigint,
    verified_key    text,
    verified_by     text,
    verified_at     bigint,
    code_hash       bytea,
    code_expires_at bigint,
    code_attempts   bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, account_id),
    FOREIGN KEY (tenant_id, account_id) REFERENCES channel_account (tenant_id, id)
);
-- Whose an address is, before the tenant is known.
CREATE UNIQUE INDEX email_mailbox_local ON email_mailbox (local_part);
CREATE INDEX email_mailbox_address ON email_mailbox (tenant_id, address_key);

-- Domains that a workspace has shown to be its own by a DNS record. Its mailboxes
-- there may send as themselves over the operator's mail server.
CREATE TABLE email_domain (
    tenant_id   uuid NOT NULL,
    domain      text NOT NULL,
    verified_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, domain)
);

-- Every mail that was accepted, with its raw form. delivery_key is unique for
-- one delivery, so that a repeated one is recognised.
CREATE TABLE email_inbound (
    tenant_id       uuid NOT NULL,
    id              uuid NOT NULL,
    account_id      uuid NOT NULL,
    delivery_key    text NOT NULL,
    route           text NOT NULL,
    envelope_from   text NOT NULL,
    envelope_to     text NOT NULL,
    blob_id         uuid NOT NULL,
    size            bigint NOT NULL,
    state           text NOT NULL,
    reason          text,
    auth            text NOT NULL,
    sender          text NOT NULL,
    subject         text NOT NULL,
    rule            text,
    conversation_id uuid,
    item_id         uuid,
    created_at      bigint NOT NULL,
    settled_at      bigint,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, account_id, delivery_key)
);
CREATE INDEX email_inbound_list ON email_inbound (tenant_id, state, created_at, id);
CREATE INDEX email_inbound_item ON email_inbound (tenant_id, item_id) WHERE item_id IS NOT NULL;

-- The mails of conversations by their Message-ID, which may be long: its hash
-- is the key. ours says that we made the id.
CREATE TABLE email_message (
    tenant_id       uuid NOT NULL,
    id              uuid NOT NULL,
    account_id      uuid NOT NULL,
    conversation_id uuid NOT NULL,
    item_id         uuid,
    ours            boolean NOT NULL,
    message_key     text NOT NULL,
    message_id      text NOT NULL,
    thread          text NOT NULL,
    subject         text NOT NULL,
    sender          text NOT NULL,
    recipients      text NOT NULL,
    created_at      bigint NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX email_message_key ON email_message (tenant_id, account_id, message_key, created_at);
CREATE INDEX email_message_of ON email_message (tenant_id, conversation_id, created_at, id);
CREATE UNIQUE INDEX email_message_item ON email_message (tenant_id, item_id) WHERE item_id IS NOT NULL;

-- Who takes part in a conversation by mail, and what its subject token is. known
-- are those to whom we wrote, and those of the conversation's first mail.
CREATE TABLE email_party (
    tenant_id       uuid NOT NULL,
    conversation_id uuid NOT NULL,
    address_key     text NOT NULL,
    known           boolean NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id, address_key)
);
CREATE INDEX email_party_address ON email_party (tenant_id, address_key, conversation_id);
CREATE TABLE email_token (
    tenant_id       uuid NOT NULL,
    account_id      uuid NOT NULL,
    token           text NOT NULL,
    conversation_id uuid NOT NULL,
    PRIMARY KEY (tenant_id, account_id, token, conversation_id)
);

-- How many automatic answers went out since a time within the last day: to an
-- address, to a domain, and in all.
CREATE TABLE email_auto_reply (
    tenant_id uuid NOT NULL,
    scope     text NOT NULL,
    since     bigint NOT NULL,
    sent      bigint NOT NULL,
    PRIMARY KEY (tenant_id, scope)
);
CREATE INDEX email_auto_reply_since ON email_auto_reply (tenant_id, since);
