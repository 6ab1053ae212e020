-- +goose Up
-- A contact that was merged into another or deleted keeps its row, emptied of
-- addresses, so that what names it still finds something. Those of the test
-- environment are a book of their own: the same address may stand in both.
CREATE TABLE contact (
    tenant_id         uuid NOT NULL,
    id                uuid NOT NULL,
    external_id       text,
    kind              text NOT NULL,
    name              text NOT NULL,
    first_name        text NOT NULL,
    last_name         text NOT NULL,
    company           text NOT NULL,
    owner_id          uuid,
    language          text NOT NULL,
    timezone          text NOT NULL,
    country           text NOT NULL,
    tags              text NOT NULL,
    custom_attributes text NOT NULL,
    blocked           boolean NOT NULL DEFAULT false,
    test              boolean NOT NULL DEFAULT false,
    last_seen_at      bigint,
    last_contacted_at bigint,
    last_replied_at   bigint,
    merged_into_id    uuid,
    deleted_at        bigint,
    created_at        bigint NOT NULL,
    updated_at        bigint NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX contact_external ON contact (tenant_id, external_id, test) WHERE deleted_at IS NULL AND external_id IS NOT NULL;
CREATE INDEX contact_list ON contact (tenant_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX contact_kind ON contact (tenant_id, kind, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX contact_owner ON contact (tenant_id, owner_id, created_at, id) WHERE deleted_at IS NULL;
-- What keys of the test environment see; live contacts are not in it.
CREATE INDEX contact_test ON contact (tenant_id, created_at, id) WHERE deleted_at IS NULL AND test;
CREATE INDEX contact_blocked ON contact (tenant_id, created_at, id) WHERE deleted_at IS NULL AND blocked;

CREATE TABLE contact_email (
    tenant_id  uuid NOT NULL,
    email_key  text NOT NULL,
    contact_id uuid NOT NULL,
    address    text NOT NULL,
    is_primary boolean NOT NULL,
    bounced    boolean NOT NULL DEFAULT false,
    position   bigint NOT NULL,
    test       boolean NOT NULL,
    PRIMARY KEY (tenant_id, email_key, test),
    FOREIGN KEY (tenant_id, contact_id) REFERENCES contact (tenant_id, id)
);
CREATE INDEX contact_email_of ON contact_email (tenant_id, contact_id, position);

CREATE TABLE contact_phone (
    tenant_id  uuid NOT NULL,
    e164       text NOT NULL,
    contact_id uuid NOT NULL,
    is_primary boolean NOT NULL,
    position   bigint NOT NULL,
    test       boolean NOT NULL,
    PRIMARY KEY (tenant_id, e164, test),
    FOREIGN KEY (tenant_id, contact_id) REFERENCES contact (tenant_id, id)
);
CREATE INDEX contact_phone_of ON contact_phone (tenant_id, contact_id, position);

-- Who a contact is on a channel account. channel_account_id is the nil UUID for
-- sources without accounts.
CREATE TABLE contact_identity (
    tenant_id          uuid NOT NULL,
    channel_account_id uuid NOT NULL,
    external_id        text NOT NULL,
    contact_id         uuid NOT NULL,
    channel            text NOT NULL,
    username           text NOT NULL,
    reachable          boolean NOT NULL DEFAULT true,
    window_expires_at  bigint,
    test               boolean NOT NULL,
    created_at         bigint NOT NULL,
    PRIMARY KEY (tenant_id, channel_account_id, external_id, test),
    FOREIGN KEY (tenant_id, contact_id) REFERENCES contact (tenant_id, id)
);
CREATE INDEX contact_identity_of ON contact_identity (tenant_id, contact_id, created_at);

-- What somebody whom nobody vouches for said of themselves, such as a visitor of
-- the live chat. It stands outside the unique keys of addresses and numbers, and
-- nothing is sent to it. proof says how it was shown to be true, by whom.
CREATE TABLE contact_claim (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL,
    contact_id uuid NOT NULL,
    kind       text NOT NULL,
    value      text NOT NULL,
    value_key  text NOT NULL,
    source     text NOT NULL,
    at         bigint NOT NULL,
    proof      text,
    proven_at  bigint,
    proven_by  uuid,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, contact_id, kind, value_key),
    FOREIGN KEY (tenant_id, contact_id) REFERENCES contact (tenant_id, id)
);
-- Who else claims an address or a number.
CREATE INDEX contact_claim_value ON contact_claim (tenant_id, kind, value_key);

CREATE TABLE contact_consent (
    tenant_id  uuid NOT NULL,
    contact_id uuid NOT NULL,
    channel    text NOT NULL,
    purpose    text NOT NULL,
    status     text NOT NULL,
    source     text NOT NULL,
    evidence   text NOT NULL,
    at         bigint NOT NULL,
    PRIMARY KEY (tenant_id, contact_id, channel, purpose),
    FOREIGN KEY (tenant_id, contact_id) REFERENCES contact (tenant_id, id)
);

CREATE TABLE contact_tag (
    tenant_id  uuid NOT NULL,
    tag        text NOT NULL,
    contact_id uuid NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, tag, contact_id),
    FOREIGN KEY (tenant_id, contact_id) REFERENCES contact (tenant_id, id)
);
CREATE INDEX contact_tag_list ON contact_tag (tenant_id, tag, created_at, contact_id);
CREATE INDEX contact_tag_of ON contact_tag (tenant_id, contact_id);

-- The folded words under which a contact is found.
CREATE TABLE contact_term (
    tenant_id  uuid NOT NULL,
    term       text NOT NULL,
    contact_id uuid NOT NULL,
    PRIMARY KEY (tenant_id, term, contact_id),
    FOREIGN KEY (tenant_id, contact_id) REFERENCES contact (tenant_id, id)
);
CREATE INDEX contact_term_of ON contact_term (tenant_id, contact_id);

CREATE TABLE contact_note (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL,
    contact_id uuid NOT NULL,
    body       text NOT NULL,
    author_id  uuid,
    created_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, contact_id) REFERENCES contact (tenant_id, id)
);
CREATE INDEX contact_note_list ON contact_note (tenant_id, contact_id, created_at, id);

-- What a merge moved, so that it can be undone.
CREATE TABLE contact_merge (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL,
    winner_id  uuid NOT NULL,
    loser_id   uuid NOT NULL,
    moved      text NOT NULL,
    merged_by  uuid,
    merged_at  bigint NOT NULL,
    undone_at  bigint,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, winner_id) REFERENCES contact (tenant_id, id),
    FOREIGN KEY (tenant_id, loser_id) REFERENCES contact (tenant_id, id)
);
CREATE INDEX contact_merge_list ON contact_merge (tenant_id, winner_id, merged_at, id);

CREATE TABLE contact_import (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL,
    filename    text NOT NULL,
    status      text NOT NULL,
    header      text NOT NULL,
    total       bigint NOT NULL,
    position    bigint NOT NULL DEFAULT 0,
    created     bigint NOT NULL DEFAULT 0,
    updated     bigint NOT NULL DEFAULT 0,
    failed      bigint NOT NULL DEFAULT 0,
    created_by  uuid,
    created_at  bigint NOT NULL,
    finished_at bigint,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX contact_import_list ON contact_import (tenant_id, created_at, id);

-- The rows of a file that are still to be taken, in batches: each job reads one
-- and nothing else, and it goes when it is done.
CREATE TABLE contact_import_batch (
    tenant_id uuid NOT NULL,
    import_id uuid NOT NULL,
    number    bigint NOT NULL,
    content   text NOT NULL,
    PRIMARY KEY (tenant_id, import_id, number),
    FOREIGN KEY (tenant_id, import_id) REFERENCES contact_import (tenant_id, id)
);

CREATE TABLE contact_import_error (
    tenant_id uuid NOT NULL,
    import_id uuid NOT NULL,
    line      bigint NOT NULL,
    id        uuid NOT NULL,
    field     text NOT NULL,
    code      text NOT NULL,
    PRIMARY KEY (tenant_id, import_id, line, id),
    FOREIGN KEY (tenant_id, import_id) REFERENCES contact_import (tenant_id, id)
);
