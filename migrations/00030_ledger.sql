-- +goose Up
-- What was done with personal data. Each row carries the hash of the one before
-- it; personal is sealed under the key of its subject, and unreadable once that
-- key is gone. Rows go only with their workspace.
CREATE TABLE privacy_ledger (
    tenant_id   uuid NOT NULL,
    seq         bigint NOT NULL,
    id          uuid NOT NULL,
    at          bigint NOT NULL,
    actor_kind  text NOT NULL,
    actor_id    uuid,
    action      text NOT NULL,
    subject_ref text NOT NULL,
    details     text NOT NULL,
    personal    text NOT NULL,
    prev_hash   text NOT NULL,
    hash        text NOT NULL,
    PRIMARY KEY (tenant_id, seq)
);
CREATE INDEX privacy_ledger_subject ON privacy_ledger (tenant_id, subject_ref, seq);

-- The last row of each ledger. Writers lock it, so that numbers have no gaps.
CREATE TABLE privacy_ledger_head (
    tenant_id uuid NOT NULL PRIMARY KEY,
    seq       bigint NOT NULL,
    hash      text NOT NULL
);

-- The signed head of a day, by day since 1970.
CREATE TABLE privacy_ledger_signature (
    tenant_id uuid NOT NULL,
    day       bigint NOT NULL,
    seq       bigint NOT NULL,
    hash      text NOT NULL,
    signature text NOT NULL,
    PRIMARY KEY (tenant_id, day)
);

CREATE TABLE privacy_subject_key (
    tenant_id   uuid NOT NULL,
    subject_ref text NOT NULL,
    sealed      bytea NOT NULL,
    PRIMARY KEY (tenant_id, subject_ref)
);

/*sqlite
-- +goose StatementBegin
CREATE TRIGGER privacy_ledger_no_update BEFORE UPDATE ON privacy_ledger BEGIN
    SELECT RAISE(ABORT, 'the privacy ledger is never changed');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER privacy_ledger_no_delete BEFORE DELETE ON privacy_ledger
WHEN NOT EXISTS (SELECT 1 FROM tenant WHERE id = OLD.tenant_id AND deleting) BEGIN
    SELECT RAISE(ABORT, 'the privacy ledger is never changed');
END;
-- +goose StatementEnd
*/

/*postgres
-- +goose StatementBegin
CREATE FUNCTION keep_privacy_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND EXISTS (SELECT 1 FROM tenant WHERE id = OLD.tenant_id AND deleting) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'the privacy ledger is never changed';
END
$$;
-- +goose StatementEnd
CREATE TRIGGER privacy_ledger_kept BEFORE UPDATE OR DELETE ON privacy_ledger
    FOR EACH ROW EXECUTE FUNCTION keep_privacy_ledger();
*/
