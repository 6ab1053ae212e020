-- +goose Up
-- How far a holder has used up a limit, over all nodes: the time until which
-- what was used is spread out at the limit's pace.
CREATE TABLE limit_use (
    policy     text NOT NULL,
    holder     bytea NOT NULL,
    used_until bigint NOT NULL,
    PRIMARY KEY (policy, holder)
);
CREATE INDEX limit_use_age ON limit_use (used_until);

-- What happened to a holder lately, one row each time.
CREATE TABLE limit_act (
    id         uuid PRIMARY KEY,
    name       text NOT NULL,
    holder     bytea NOT NULL,
    at         bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE INDEX limit_act_recent ON limit_act (name, holder, at);
CREATE INDEX limit_act_age ON limit_act (expires_at);
