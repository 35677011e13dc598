package attestor

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	kyc   = "/api/account/integration/kyc"
	scope = "account-integration-api/account-api-access"

	renewalMargin = time.Minute // No call arrives with a token that just expired.
	firstDelay    = 500 * time.Millisecond
	maxDelay      = 8 * time.Second
	maxRetryAfter = time.Minute // A server that asks for a longer wait gets no retry: the caller gets its answer.
	firstPoll     = 2 * time.Second
	maxPoll       = 15 * time.Second
)

// APIError is a call that was answered without success. A decision REJECTED is none.
type APIError struct {
	Status  int
	Message string
	// Stable: the header X-Error-Code, or "error" of the token endpoint. Empty where a proxy answered.
	Code string
	// For questions to the operator.
	RequestID string
}

func (e *APIError) Error() string { return e.Message }

// StillOpenError is a transaction, as it was read last, that did not end while it was waited for.
type StillOpenError struct{ Transaction *Transaction }

func (e *StillOpenError) Error() string {
	return fmt.Sprintf("transaction %s is still %s", e.Transaction.ID, e.Transaction.Status)
}

// NewCustomer is a person, by your own id of them.
type NewCustomer struct {
	ExternalCustomerID string `json:"external_customer_id"`
	Email              string `json:"email,omitempty"`
	PhoneNumber        string `json:"phone_number,omitempty"`
}

// RegisteredCustomer says under which id the service knows a person.
type RegisteredCustomer struct {
	CustomerID         string    `json:"customer_id"`
	ExternalCustomerID string    `json:"external_customer_id"`
	CreatedAt          time.Time `json:"created_at"`
}

// NewTransaction is DOCUMENT_AND_BIOMETRIC, BIOMETRIC_ONLY or AGE.
type NewTransaction struct {
	CustomerID      string  `json:"customer_id"`
	TransactionType string  `json:"transaction_type"`
	Config          *Config `json:"config,omitempty"`
}

// Config is what the transaction asks for. Whatever is absent has the default that the API documents.
type Config struct {
	Webhook *Webhook `json:"webhook,omitempty"`
	// From 1 to 1440.
	TransactionTTLMinutes int `json:"transaction_ttl_minutes,omitempty"`
	// Members are policies, such as on_emulator, and values REJECT, WARN or IGNORE.
	DevicePolicy map[string]string `json:"device_policy,omitempty"`
	FraudPolicy  map[string]string `json:"fraud_policy,omitempty"`
	// Your own id of it.
	Reference      string          `json:"reference,omitempty"`
	Locale         string          `json:"locale,omitempty"`
	RedirectURL    string          `json:"redirect_url,omitempty"`
	DocumentPolicy *DocumentPolicy `json:"document_policy,omitempty"`
	// Of AGE alone, which needs it.
	Age            *Age            `json:"age,omitempty"`
	AppLink        string          `json:"app_link,omitempty"`
	EmbedOrigins   []string        `json:"embed_origins,omitempty"`
	ExpectedData   *ExpectedData   `json:"expected_data,omitempty"`
	// Of test accounts alone: the outcome, as the API documents it.
	Test map[string]any `json:"test,omitempty"`
}

// DocumentPolicy says what a document may be known by: its chip, a wallet, what is expected of one of an unknown kind,
// and which sources are refused.
type DocumentPolicy struct {
	Chip                  string   `json:"chip,omitempty"`
	UnknownDocument       string   `json:"unknown_document,omitempty"`
	RefusedSources        []string `json:"refused_sources,omitempty"`
	Wallet                string   `json:"wallet,omitempty"`
	WalletClaims          []string `json:"wallet_claims,omitempty"`
	WalletWithoutPortrait string   `json:"wallet_without_portrait,omitempty"`
}

// Age is what an AGE transaction asks: whether the person has reached so many years.
type Age struct {
	Over int `json:"over"`
}

// AgeAnswer is all that an AGE transaction says of a person. IsOver is nil where neither is proven.
type AgeAnswer struct {
	Over   int     `json:"over"`
	IsOver *bool   `json:"is_over"`
	Source *string `json:"source"`
}

// Webhook is where changes of the status are notified, and of which: nil for all.
type Webhook struct {
	URL    string   `json:"url"`
	Events []string `json:"events,omitempty"`
}

// ExpectedData is compared with the document. DateOfBirth is such as 1974-08-12.
type ExpectedData struct {
	FirstName      string `json:"first_name,omitempty"`
	LastName       string `json:"last_name,omitempty"`
	DateOfBirth    string `json:"date_of_birth,omitempty"`
	DocumentNumber string `json:"document_number,omitempty"`
}

// OpenedTransaction has what the person's device needs: send the person to VerifyURL, or give SDKToken to your app.
type OpenedTransaction struct {
	TransactionID string `json:"transaction_id"`
	SDKToken      string `json:"sdk_token"`
	TokenType     string `json:"token_type"`
	ExpiresIn     int    `json:"expires_in"`
	VerifyURL     string `json:"verify_url"`
}

// Transaction has a Result once it is FINISHED or FAILED.
type Transaction struct {
	ID           string     `json:"id"`
	CustomerID   string     `json:"customer_id"`
	Status       string     `json:"status"`
	CreatedAt    time.Time  `json:"created_at"`
	InitiatedAt  *time.Time `json:"initiated_at"`
	CompletedAt  *time.Time `json:"completed_at"`
	ProcessingAt *time.Time `json:"processing_at"`
	FinishedAt   *time.Time `json:"finished_at"`
	Result       *Result    `json:"result_data"`
}

// ListedTransaction is an entry of the list: its result is read with GetTransaction.
type ListedTransaction struct {
	ID              string     `json:"id"`
	CustomerID      string     `json:"customer_id"`
	TransactionType string     `json:"transaction_type"`
	Reference       *string    `json:"reference"`
	Status          string     `json:"status"`
	Decision        *string    `json:"decision"`
	CreatedAt       time.Time  `json:"created_at"`
	InitiatedAt     *time.Time `json:"initiated_at"`
	CompletedAt     *time.Time `json:"completed_at"`
	ProcessingAt    *time.Time `json:"processing_at"`
	FinishedAt      *time.Time `json:"finished_at"`
}

// Result is what was decided: APPROVED, REJECTED or UNDETERMINED.
type Result struct {
	Decision string  `json:"decision"`
	Issues   []Issue `json:"issues"`
	// As the API documents them; nil where there is none.
	Document       *Section       `json:"document,omitempty"`
	Liveness       *Section       `json:"liveness,omitempty"`
	FaceComparison *Section       `json:"face_comparison,omitempty"`
	Duplicates     map[string]any `json:"duplicates,omitempty"`
	Metadata       map[string]any `json:"metadata,omitempty"`
	// Of AGE, which has no other section.
	Age *AgeAnswer `json:"age,omitempty"`
}

// Section is a part of the result.
type Section struct {
	Status string         `json:"status"`
	Data   map[string]any `json:"data"`
}

// Issue is a reason behind the decision. Branch on Code.
type Issue struct {
	Type    string         `json:"type"`
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

// Client is a backend's client. Goroutines may share one.
type Client struct {
	// Where the token endpoint is, if it is not with the rest.
	AuthURL string
	// How often a call that is safe to repeat is sent.
	Attempts int
	// OnIgnored hears which members of a call the service does not know; it logs them where you set nothing.
	OnIgnored func(path string, members []string)
	// These can be replaced, for tests.
	HTTP   *http.Client
	Now    func() time.Time
	Sleep  func(context.Context, time.Duration) error
	Chance func() float64

	baseURL, clientID, clientSecret string

	mutex   sync.Mutex
	token   string
	renewAt time.Time
}

// NewClient asks for nothing until the first call.
func NewClient(baseURL, clientID, clientSecret string) *Client {
	noRedirects := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	baseURL = strings.TrimRight(baseURL, "/")
	return &Client{
		AuthURL: baseURL, Attempts: 4, OnIgnored: logIgnored,
		HTTP: &http.Client{Timeout: 30 * time.Second, CheckRedirect: noRedirects},
		Now:  time.Now, Sleep: sleep, Chance: rand.Float64,
		baseURL: baseURL, clientID: clientID, clientSecret: clientSecret,
	}
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func logIgnored(path string, members []string) {
	log.Printf("attestor: %s ignored %s", path, strings.Join(members, ", "))
}

func newKey() string {
	bytes := make([]byte, 16)
	if _, err := crand.Read(bytes); err != nil {
		panic(err)
	}
	return fmt.Sprintf("%x", bytes)
}

// CreateCustomer repeated with the same data returns the customer that there is.
func (c *Client) CreateCustomer(ctx context.Context, customer NewCustomer) (*RegisteredCustomer, error) {
	var registered RegisteredCustomer
	return &registered, c.Call(ctx, http.MethodPost, kyc+"/customer", newKey(), customer, &registered)
}

// CreateTransaction takes a key of your own where the call may be repeated by another process; else an empty one.
func (c *Client) CreateTransaction(ctx context.Context, transaction NewTransaction, idempotencyKey string) (*OpenedTransaction, error) {
	if idempotencyKey == "" {
		idempotencyKey = newKey()
	}
	var opened OpenedTransaction
	return &opened, c.Call(ctx, http.MethodPost, kyc+"/transaction", idempotencyKey, transaction, &opened)
}

// GetTransaction reads it as it is now.
func (c *Client) GetTransaction(ctx context.Context, transactionID string) (*Transaction, error) {
	var transaction Transaction
	return &transaction, c.Call(ctx, http.MethodGet, kyc+"/transaction/"+url.PathEscape(transactionID), "", nil, &transaction)
}

// WaitForEnd returns the transaction once it is FINISHED, FAILED or EXPIRED, or a StillOpenError after about `limit`.
// A webhook says so sooner, and with fewer calls.
func (c *Client) WaitForEnd(ctx context.Context, transactionID string, limit time.Duration) (*Transaction, error) {
	until := c.Now().Add(limit)
	for delay := firstPoll; ; {
		if err := c.Sleep(ctx, delay); err != nil {
			return nil, err
		}
		transaction, err := c.GetTransaction(ctx, transactionID)
		if err != nil {
			return nil, err
		}
		switch transaction.Status {
		case "FINISHED", "FAILED", "EXPIRED":
			return transaction, nil
		}
		delay = min(delay*2, maxPoll)
		if c.Now().Add(delay).After(until) {
			return nil, &StillOpenError{transaction}
		}
	}
}

// List calls `each` for every entry of a list, from page to page, until it returns an error; `query` filters, and may be
// nil. EachTransaction is this for transactions.
func (c *Client) List(ctx context.Context, path string, query url.Values, each func(json.RawMessage) error) error {
	asked := url.Values{}
	for name, values := range query {
		asked[name] = values
	}
	for {
		var page struct {
			Data       []json.RawMessage `json:"data"`
			NextCursor *string           `json:"next_cursor"`
		}
		if err := c.Call(ctx, http.MethodGet, path+"?"+asked.Encode(), "", nil, &page); err != nil {
			return err
		}
		for _, entry := range page.Data {
			if err := each(entry); err != nil {
				return err
			}
		}
		if page.NextCursor == nil {
			return nil
		}
		asked.Set("cursor", *page.NextCursor)
	}
}

// EachTransaction calls `each` for every transaction that `query` lets through, such as {"status": {"FINISHED"}}.
func (c *Client) EachTransaction(ctx context.Context, query url.Values, each func(ListedTransaction) error) error {
	return c.List(ctx, kyc+"/transaction", query, func(entry json.RawMessage) error {
		var transaction ListedTransaction
		if err := json.Unmarshal(entry, &transaction); err != nil {
			return err
		}
		return each(transaction)
	})
}

// Call is every other call of a backend. It is repeated where it reads or has a key. `answer` may be nil. Its error is an
// *APIError where the service answered.
func (c *Client) Call(ctx context.Context, method, path, idempotencyKey string, body, answer any) error {
	header := http.Header{}
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return err
		}
		header.Set("Content-Type", "application/json")
	}
	attempts := 1
	if method == http.MethodGet || idempotencyKey != "" {
		attempts = c.Attempts
	}
	if idempotencyKey != "" {
		header.Set("Idempotency-Key", idempotencyKey)
	}
	sendWith := func(token string) (*response, error) {
		header.Set("Authorization", "Bearer "+token)
		return c.repeat(ctx, request{method, c.baseURL + path, header, content}, attempts)
	}
	token, err := c.getToken(ctx, "")
	if err != nil {
		return err
	}
	received, err := sendWith(token)
	if err == nil && received.status == http.StatusUnauthorized {
		if token, err = c.getToken(ctx, token); err != nil {
			return err
		}
		received, err = sendWith(token)
	}
	if err != nil {
		return err
	}
	if received.status/100 != 2 {
		return received.toError()
	}
	if ignored := received.header.Get("X-Ignored-Fields"); ignored != "" && c.OnIgnored != nil {
		c.OnIgnored(path, strings.Split(ignored, ", "))
	}
	if answer == nil || len(received.content) == 0 {
		return nil
	}
	return json.Unmarshal(received.content, answer)
}

// One request serves all calls that wait for it.
func (c *Client) getToken(ctx context.Context, refused string) (string, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.token != refused && c.Now().Before(c.renewAt) {
		return c.token, nil
	}
	form := url.Values{
		"grant_type": {"client_credentials"}, "client_id": {c.clientID}, "client_secret": {c.clientSecret}, "scope": {scope},
	}
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	asked := request{http.MethodPost, c.AuthURL + "/oauth2/token", header, []byte(form.Encode())}
	requestedAt := c.Now()
	received, err := c.repeat(ctx, asked, c.Attempts)
	if err != nil {
		return "", err
	}
	var said struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int    `json:"expires_in"`
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	if json.Unmarshal(received.content, &said) != nil || said.AccessToken == "" {
		failed := received.toError()
		if said.Error != "" {
			failed.Code = said.Error
		}
		if said.Description != "" {
			failed.Message = said.Description
		}
		return "", failed
	}
	lifetime := time.Duration(said.ExpiresIn) * time.Second
	c.token, c.renewAt = said.AccessToken, requestedAt.Add(lifetime-min(renewalMargin, lifetime/2))
	return c.token, nil
}

type request struct {
	method, url string
	header      http.Header
	content     []byte
}

type response struct {
	status  int
	header  http.Header
	content []byte
}

func (r *response) toError() *APIError {
	var said struct{ Error string }
	message := fmt.Sprintf("the service returned %d", r.status)
	if json.Unmarshal(r.content, &said) == nil && said.Error != "" {
		message = said.Error
	}
	return &APIError{r.status, message, r.header.Get("X-Error-Code"), r.header.Get("X-Request-Id")}
}

func (c *Client) send(ctx context.Context, asked request) (*response, error) {
	built, err := http.NewRequestWithContext(ctx, asked.method, asked.url, bytes.NewReader(asked.content))
	if err != nil {
		return nil, err
	}
	built.Header = asked.header
	received, err := c.HTTP.Do(built)
	if err != nil {
		return nil, err
	}
	defer received.Body.Close()
	content, err := io.ReadAll(received.Body)
	return &response{received.StatusCode, received.Header, content}, err
}

// Repeats what failed for a reason that may pass.
func (c *Client) repeat(ctx context.Context, asked request, attempts int) (*response, error) {
	for attempt := 1; ; attempt++ {
		received, err := c.send(ctx, asked)
		if attempt >= attempts || errors.Is(err, context.Canceled) || ctx.Err() != nil {
			return received, err
		}
		delay, isUseful := c.backoff(attempt), true
		if err == nil {
			delay, isUseful = c.delayAfter(received, delay)
		}
		if !isUseful {
			return received, nil
		}
		if err := c.Sleep(ctx, delay); err != nil {
			return nil, err
		}
	}
}

// Doubled each time; half of it by chance, so that callers who failed together don't come back together.
func (c *Client) backoff(attempt int) time.Duration {
	return time.Duration(float64(min(firstDelay<<(attempt-1), maxDelay)) * (0.5 + c.Chance()/2))
}

// Says no where another attempt would be of no use.
func (c *Client) delayAfter(received *response, backoff time.Duration) (time.Duration, bool) {
	switch received.status {
	case 408, 429, 500, 502, 503, 504:
	default:
		if received.header.Get("X-Error-Code") != "idempotency_key_in_use" {
			return 0, false
		}
	}
	// Seconds or a date (RFC 9110 §10.2.3).
	asked := received.header.Get("Retry-After")
	delay := backoff
	if seconds, err := strconv.ParseUint(asked, 10, 31); err == nil {
		delay = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(asked); err == nil {
		delay = max(0, at.Sub(c.Now()))
	}
	return delay, delay <= maxRetryAfter
}

// Go has them of its own from 1.21 on.
func min(a, b time.Duration) time.Duration {
	if a < b {
		return a
	}
	return b
}

func max(a, b time.Duration) time.Duration {
	if a > b {
		return a
	}
	return b
}
