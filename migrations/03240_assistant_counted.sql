-- +goose Up
-- Whether the row counts against the answers that a conversation may have: greetings, thanks
-- and the words of a hand-over do not, nor what was before the conversation was opened again.
ALTER TABLE assistant_answer ADD COLUMN counted boolean NOT NULL DEFAULT false;
UPDATE assistant_answer SET counted = true WHERE item_id IS NOT NULL AND reason IS NULL;
CREATE INDEX assistant_answer_counted ON assistant_answer (tenant_id, conversation_id, at) WHERE counted;
