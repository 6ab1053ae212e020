-- +goose Up
-- The keys of the installation, each sealed under a master key. Key 0 is what other
-- keys are derived from and never changes; the highest seals secrets, and those between
-- are read until everything is sealed anew. A generation is one master key: there are
-- two while it is being changed. A start with another master key opens none of them.
CREATE TABLE installation_key (
    generation bigint NOT NULL,
    id         bigint NOT NULL,
    sealed     bytea NOT NULL,
    made_at    bigint NOT NULL,
    PRIMARY KEY (generation, id)
);

-- The nodes that serve this database now, each with the time it was last seen and the
-- name of the store where its files lie.
CREATE TABLE serving_node (
    id         uuid PRIMARY KEY,
    host       text NOT NULL,
    version    text NOT NULL,
    file_store text NOT NULL,
    started_at bigint NOT NULL,
    seen_at    bigint NOT NULL
);
