-- +goose Up
-- How the sound of a call travelled, as JSON.
ALTER TABLE phone_call ADD COLUMN quality text NOT NULL DEFAULT 'null';
