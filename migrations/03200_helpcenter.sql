-- +goose Up
-- What the public site of a workspace shows, as a number that grows with every
-- change of it. The settings are those of its channel account.
CREATE TABLE help_site (
    tenant_id uuid PRIMARY KEY,
    revision  bigint NOT NULL,
    logo      bytea,
    logo_type text NOT NULL DEFAULT ''
);

-- texts is the category's name and description in each language.
CREATE TABLE help_category (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL,
    slug       text NOT NULL,
    position   bigint NOT NULL,
    texts      text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, slug)
);
CREATE INDEX help_category_list ON help_category (tenant_id, position, id);

CREATE TABLE help_article (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL,
    category_id uuid NOT NULL,
    created_at  bigint NOT NULL,
    updated_at  bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, category_id) REFERENCES help_category (tenant_id, id)
);
CREATE INDEX help_article_list ON help_article (tenant_id, created_at, id);
CREATE INDEX help_article_of ON help_article (tenant_id, category_id, created_at, id);

-- An article in one language: its newest version is the draft, the published
-- one is what everybody reads.
CREATE TABLE help_text (
    tenant_id          uuid NOT NULL,
    article_id         uuid NOT NULL,
    language           text NOT NULL,
    version            bigint NOT NULL,
    published_version  bigint,
    published_at       bigint,
    first_published_at bigint,
    helpful            bigint NOT NULL DEFAULT 0,
    unhelpful          bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, article_id, language),
    FOREIGN KEY (tenant_id, article_id) REFERENCES help_article (tenant_id, id)
);

CREATE TABLE help_version (
    tenant_id  uuid NOT NULL,
    article_id uuid NOT NULL,
    language   text NOT NULL,
    number     bigint NOT NULL,
    title      text NOT NULL,
    summary    text NOT NULL,
    body       text NOT NULL,
    saved_by   uuid,
    saved_at   bigint NOT NULL,
    PRIMARY KEY (tenant_id, article_id, language, number),
    FOREIGN KEY (tenant_id, article_id, language) REFERENCES help_text (tenant_id, article_id, language)
);
