package iyzico

import "encoding/json"

// Paths of the service.
const (
	PathInitialize = "/payment/3dsecure/initialize"
	PathAuth       = "/payment/3dsecure/auth"
	PathDetail     = "/payment/detail"
)

// RandomHeader is a header that is sent in addition to Authorization.
const RandomHeader = "x-iyzi-rnd"

// Initialize begins a payment.
type Initialize struct {
	Locale         string       `json:"locale"`
	ConversationID string       `json:"conversationId"`
	Price          string       `json:"price"`
	PaidPrice      string       `json:"paidPrice"`
	Currency       string       `json:"currency"`
	Installment    int          `json:"installment"`
	BasketID       string       `json:"basketId"`
	PaymentChannel string       `json:"paymentChannel"`
	PaymentGroup   string       `json:"paymentGroup"`
	CallbackURL    string       `json:"callbackUrl"`
	Card           PaymentCard  `json:"paymentCard"`
	Buyer          Buyer        `json:"buyer"`
	Billing        Address      `json:"billingAddress"`
	Items          []BasketItem `json:"basketItems"`
}

// PaymentCard is the card.
type PaymentCard struct {
	Holder   string `json:"cardHolderName"`
	Number   string `json:"cardNumber"`
	Month    string `json:"expireMonth"`
	Year     string `json:"expireYear"`
	CVC      string `json:"cvc"`
	Register int    `json:"registerCard"`
}

// Buyer is the person who pays.
type Buyer struct {
	ID             string `json:"id"`
	Name           string `json:"name"`
	Surname        string `json:"surname"`
	IdentityNumber string `json:"identityNumber"`
	Email          string `json:"email"`
	Phone          string `json:"gsmNumber"`
	Address        string `json:"registrationAddress"`
	City           string `json:"city"`
	Country        string `json:"country"`
	PostalCode     string `json:"zipCode,omitempty"`
	IP             string `json:"ip"`
}

// Address is the address for a bill.
type Address struct {
	Contact    string `json:"contactName"`
	City       string `json:"city"`
	Country    string `json:"country"`
	Address    string `json:"address"`
	PostalCode string `json:"zipCode,omitempty"`
}

// BasketItem is what is bought.
type BasketItem struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Category string `json:"category1"`
	Type     string `json:"itemType"`
	Price    string `json:"price"`
}

// Auth takes the money.
type Auth struct {
	Locale           string `json:"locale"`
	ConversationID   string `json:"conversationId"`
	PaymentID        string `json:"paymentId"`
	ConversationData string `json:"conversationData,omitempty"`
}

// Detail asks for a payment.
type Detail struct {
	Locale                string `json:"locale"`
	ConversationID        string `json:"conversationId"`
	PaymentID             string `json:"paymentId"`
	PaymentConversationID string `json:"paymentConversationId"`
}

// Answer is the service's answer to any of these requests.
type Answer struct {
	Status         string      `json:"status"` // success or failure
	ErrorCode      string      `json:"errorCode,omitempty"`
	ErrorMessage   string      `json:"errorMessage,omitempty"`
	ConversationID string      `json:"conversationId,omitempty"`
	PaymentID      string      `json:"paymentId,omitempty"`
	BasketID       string      `json:"basketId,omitempty"`
	PaidPrice      json.Number `json:"paidPrice,omitempty"`
	Currency       string      `json:"currency,omitempty"`
	FraudStatus    int         `json:"fraudStatus,omitempty"` // 1 is accepted, 0 under review, -1 refused
	PaymentStatus  string      `json:"paymentStatus,omitempty"`
	HTML           string      `json:"threeDSHtmlContent,omitempty"` // base64
}

// Values of Answer.
const (
	Success = "success"
	Failure = "failure"

	PaymentSuccess = "SUCCESS"
	PaymentFailure = "FAILURE"

	// CodeNotFound is the error for a payment that does not exist.
	CodeNotFound = "5008"
)
