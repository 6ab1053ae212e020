package twilio

// Version is the part of every address that names the version of the API.
const Version = "2010-04-01"

// Types are the types of numbers as the service writes them in addresses.
var Types = map[string]string{"local": "Local", "mobile": "Mobile", "toll_free": "TollFree"}

// Capabilities describes what a number can do.
type Capabilities struct {
	Voice bool `json:"voice"`
	SMS   bool `json:"SMS"`
	MMS   bool `json:"MMS"`
}

// AvailableNumber is a number on offer.
type AvailableNumber struct {
	PhoneNumber  string       `json:"phone_number"`
	Locality     string       `json:"locality"`
	Region       string       `json:"region"`
	Country      string       `json:"iso_country"`
	Capabilities Capabilities `json:"capabilities"`
}

// AvailableNumbers is a page of offers.
type AvailableNumbers struct {
	Numbers []AvailableNumber `json:"available_phone_numbers"`
}

// IncomingNumber is a number that the account has.
type IncomingNumber struct {
	SID          string       `json:"sid"`
	PhoneNumber  string       `json:"phone_number"`
	FriendlyName string       `json:"friendly_name"`
	Capabilities Capabilities `json:"capabilities"`
}

// IncomingNumbers is a page of the account's numbers.
type IncomingNumbers struct {
	Numbers []IncomingNumber `json:"incoming_phone_numbers"`
}

// Error is the body of a refusal.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Status  int    `json:"status"`
}

// Codes of refusals.
const (
	CodeNotFound     = 20404
	CodeNotAvailable = 21422
)
