-- +goose Up
-- The regulation corpus belongs to no workspace: everybody searches the same.

-- One row per import that changed something. Its id names the index file, so
-- that a file of a database that was restored meanwhile is never taken for it.
CREATE TABLE advisor_revision (
    rev        bigint NOT NULL PRIMARY KEY,
    id         uuid NOT NULL,
    day        text NOT NULL,
    source     text NOT NULL,
    added      bigint NOT NULL,
    changed    bigint NOT NULL,
    removed    bigint NOT NULL,
    created_at bigint NOT NULL
);

-- The import that runs. One at a time; one that died is taken over.
CREATE TABLE advisor_import (
    one        bigint NOT NULL PRIMARY KEY,
    id         uuid NOT NULL,
    beat_at    bigint NOT NULL
);

CREATE TABLE advisor_law (
    law_id     text NOT NULL PRIMARY KEY,
    id         uuid NOT NULL,
    no         text NOT NULL,
    title      text NOT NULL,
    kind       text NOT NULL,
    status     text NOT NULL,
    rg_date    text NOT NULL,
    rg_no      text NOT NULL,
    source_url text NOT NULL,
    provisions bigint NOT NULL,
    updated_day bigint NOT NULL
);
CREATE INDEX advisor_law_shelf ON advisor_law (updated_day, id);

CREATE TABLE advisor_provision (
    id         text NOT NULL PRIMARY KEY,
    law_id     text NOT NULL,
    first_rev  bigint NOT NULL
);

-- A version is part of the revisions rev_from to rev_to, the latter not
-- included. What an unfinished import wrote lies above the last revision and
-- is seen by nobody.
CREATE TABLE provision_version (
    provision_id text NOT NULL REFERENCES advisor_provision (id),
    rev_from     bigint NOT NULL,
    rev_to       bigint,
    law_id       text NOT NULL,
    ord          bigint NOT NULL,
    valid_from   text NOT NULL,
    valid_to     text,
    sha256       bytea NOT NULL,
    text         text NOT NULL,
    meta         text NOT NULL,
    PRIMARY KEY (provision_id, rev_from)
);
CREATE INDEX provision_version_law ON provision_version (law_id, ord, provision_id);
CREATE INDEX provision_version_from ON provision_version (rev_from);
CREATE INDEX provision_version_to ON provision_version (rev_to) WHERE rev_to IS NOT NULL;
