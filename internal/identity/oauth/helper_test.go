package oauth_test

const (
	auth    = "/api/v1/auth"
	keys    = "/api/v1/auth/api-keys"
	catalog = "/api/erp/v1/webhooks/catalog"
)
