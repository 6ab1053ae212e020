-- +goose Up
-- Web pages and files that the assistant answers from. The text is a list of sections;
-- revision changes with everything that answers show.
CREATE TABLE assistant_source (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL,
    kind        text NOT NULL,
    title       text NOT NULL,
    title_given boolean NOT NULL,
    address     text NOT NULL,
    filename    text NOT NULL,
    state       text NOT NULL,
    failure     text,
    language    text NOT NULL,
    sections    text NOT NULL,
    bytes       bigint NOT NULL,
    cut         boolean NOT NULL,
    revision    bigint NOT NULL,
    read_at     bigint,
    tried_at    bigint,
    created_at  bigint NOT NULL,
    updated_at  bigint NOT NULL,
    PRIMARY KEY (tenant_id, id)
);

-- Whether a configuration also answers from the regulation corpus.
ALTER TABLE assistant_configuration ADD COLUMN provisions boolean NOT NULL DEFAULT false;
