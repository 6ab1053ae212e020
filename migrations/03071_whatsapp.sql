-- +goose Up
-- What a number needs beside its account: the business account whose templates
-- it sends, by which the provider's calls name it; and the test of the way in.
CREATE TABLE whatsapp_number (
    tenant_id        uuid NOT NULL,
    account_id       uuid NOT NULL,
    business_id      text NOT NULL,
    test_code        text,
    test_started_at  bigint,
    test_verified_at bigint,
    PRIMARY KEY (tenant_id, account_id),
    FOREIGN KEY (tenant_id, account_id) REFERENCES channel_account (tenant_id, id)
);
-- Whose a business account is that the provider's call names.
CREATE INDEX whatsapp_number_business ON whatsapp_number (business_id);
