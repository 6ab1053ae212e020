-- +goose Up
-- The span that wrote the row, as a W3C traceparent, for whoever goes on with it;
-- null where nothing is traced.
ALTER TABLE outbox ADD COLUMN traceparent text;
ALTER TABLE job ADD COLUMN traceparent text;
