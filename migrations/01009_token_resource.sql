-- +goose Up
-- What an app's token is for (RFC 8707): the path of the one resource that it opens, or
-- nothing for the whole API.
ALTER TABLE oauth_code ADD COLUMN resource text NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN resource text NOT NULL DEFAULT '';
