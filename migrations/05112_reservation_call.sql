-- +goose Up
-- Which call money was set aside for, so that a line of a statement leads to its call.
ALTER TABLE wallet_reservation ADD COLUMN call_id uuid;
