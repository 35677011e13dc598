package attestor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

var start = time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC)

const fresh = `{"access_token":"one","expires_in":3600}`
const next = `{"access_token":"two","expires_in":3600}`

type answer struct {
	status  int
	content string
	header  map[string]string
	err     error
}

// played gives these answers in turn, with a clock that only waiting turns.
type played struct {
	left     []answer
	requests []*http.Request
	bodies   []string
	slept    []time.Duration
	now      time.Time
}

func (p *played) RoundTrip(request *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(request.Body)
	p.requests, p.bodies = append(p.requests, request.Clone(context.Background())), append(p.bodies, string(body))
	next := p.left[0]
	p.left = p.left[1:]
	if next.err != nil {
		return nil, next.err
	}
	header := http.Header{}
	for name, value := range next.header {
		header.Set(name, value)
	}
	return &http.Response{StatusCode: next.status, Header: header, Body: io.NopCloser(strings.NewReader(next.content))}, nil
}

func (p *played) tokens() []string {
	var tokens []string
	for _, request := range p.requests {
		tokens = append(tokens, request.Header.Get("Authorization"))
	}
	return tokens
}

func play(answers ...answer) (*Client, *played) {
	p := &played{left: answers, now: start}
	client := NewClient("https://attestor.invalid/", "id", "s&t")
	client.HTTP.Transport = p
	client.Now = func() time.Time { return p.now }
	client.Chance = func() float64 { return 0.5 }
	client.Sleep = func(_ context.Context, wait time.Duration) error {
		p.slept, p.now = append(p.slept, wait), p.now.Add(wait)
		return nil
	}
	return client, p
}

func ok(content string) answer { return answer{status: 200, content: content} }

func transaction(status string) answer { return ok(`{"id":"1","status":"` + status + `"}`) }

func same(t *testing.T, got, expected any) {
	t.Helper()
	if !reflect.DeepEqual(got, expected) {
		t.Errorf("%v, not %v", got, expected)
	}
}

func get(t *testing.T, client *Client) (*Transaction, *APIError) {
	t.Helper()
	read, err := client.GetTransaction(context.Background(), "1")
	var failed *APIError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return read, failed
}

func TestOneTokenServesAllCallsAndIsRenewedAMinuteEarly(t *testing.T) {
	client, p := play(ok(fresh), transaction("CREATED"), transaction("CREATED"), ok(next), transaction("CREATED"))
	get(t, client)
	p.now = start.Add(59*time.Minute - 1)
	get(t, client)
	p.now = start.Add(59 * time.Minute)
	get(t, client)
	same(t, p.tokens(), []string{"", "Bearer one", "Bearer one", "", "Bearer two"})
	same(t, p.bodies[0], "client_id=id&client_secret=s%26t&grant_type=client_credentials&scope=account-integration-api%2Faccount-api-access")
}

func TestATokenThatIsRefusedIsRenewedOnce(t *testing.T) {
	refused := answer{401, `{"error":"access token: expired"}`, map[string]string{"X-Error-Code": "invalid_token", "X-Request-Id": "r-1"}, nil}
	client, p := play(ok(fresh), refused, ok(next), refused)
	_, failed := get(t, client)
	same(t, failed, &APIError{401, "access token: expired", "invalid_token", "r-1"})
	same(t, p.tokens(), []string{"", "Bearer one", "", "Bearer two"})
	same(t, len(p.slept), 0)
}

func TestWhatTheTokenEndpointRefusesIsSaidInItsWords(t *testing.T) {
	client, _ := play(answer{status: 401, content: `{"error":"invalid_client","error_description":"wrong secret"}`}, ok(fresh), transaction("CREATED"))
	_, failed := get(t, client)
	same(t, failed, &APIError{401, "wrong secret", "invalid_client", ""})
	read, _ := get(t, client)
	same(t, read.Status, "CREATED")
}

func TestReadsAreRepeated(t *testing.T) {
	after := func(value string) map[string]string { return map[string]string{"Retry-After": value} }
	date := start.Add(30 * time.Second).Format(http.TimeFormat)
	client, p := play(
		answer{status: 503, content: "<html>"}, ok(fresh),
		answer{429, "{}", after("7"), nil}, answer{err: errors.New("reset")}, answer{503, "{}", after(date), nil}, transaction("CREATED"),
	)
	get(t, client)
	same(t, p.slept, []time.Duration{375 * time.Millisecond, 7 * time.Second, 750 * time.Millisecond, 30*time.Second - 8125*time.Millisecond})
}

func TestACallIsGivenUp(t *testing.T) {
	busy := answer{status: 503, content: `{"error":"busy"}`}
	client, p := play(ok(fresh), busy, busy, busy, busy)
	_, failed := get(t, client)
	same(t, failed.Message, "busy")
	same(t, p.slept, []time.Duration{375 * time.Millisecond, 750 * time.Millisecond, 1500 * time.Millisecond})

	client, p = play(ok(fresh), answer{429, `{"error":"later"}`, map[string]string{"Retry-After": "61"}, nil})
	_, failed = get(t, client)
	same(t, failed.Message, "later")

	client, p = play(ok(fresh), answer{err: errors.New("one")}, answer{err: errors.New("two")})
	client.Attempts = 2
	_, err := client.GetTransaction(context.Background(), "1")
	same(t, strings.HasSuffix(err.Error(), "two"), true)
}

func TestWhatOpensSomethingIsRepeatedWithOneKeyAlone(t *testing.T) {
	inUse := answer{409, "{}", map[string]string{"X-Error-Code": "idempotency_key_in_use"}, nil}
	client, p := play(ok(fresh), answer{err: errors.New("reset")}, inUse, answer{status: 201, content: `{"transaction_id":"1"}`})
	opened, err := client.CreateTransaction(context.Background(), NewTransaction{CustomerID: "2", TransactionType: "BIOMETRIC_ONLY"}, "signup-1")
	same(t, err, nil)
	same(t, opened.TransactionID, "1")
	for n, request := range p.requests[1:] {
		same(t, request.Header.Get("Idempotency-Key"), "signup-1")
		same(t, p.bodies[n+1], `{"customer_id":"2","transaction_type":"BIOMETRIC_ONLY"}`)
	}
	client, _ = play(ok(fresh), answer{status: 503, content: `{"error":"busy"}`})
	err = client.Call(context.Background(), http.MethodPost, kyc+"/transaction/1/cancel", "", nil, nil)
	same(t, err.Error(), "busy")
}

func TestWhatIsWrongIsNotRepeated(t *testing.T) {
	client, p := play(ok(fresh), answer{status: 403, content: "<html>"})
	_, err := client.GetTransaction(context.Background(), "a/b")
	same(t, err, error(&APIError{403, "the service returned 403", "", ""}))
	same(t, p.requests[1].URL.EscapedPath(), kyc+"/transaction/a%2Fb")
}

func TestTheEndIsWaitedForNoLongerThanAsked(t *testing.T) {
	client, p := play(ok(fresh), transaction("CREATED"), transaction("PROCESSING"), transaction("FINISHED"))
	read, err := client.WaitForEnd(context.Background(), "1", 2*time.Minute)
	same(t, err, nil)
	same(t, read.Status, "FINISHED")
	same(t, p.slept, []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second})

	client, _ = play(ok(fresh), transaction("CREATED"), transaction("PROCESSING"))
	_, err = client.WaitForEnd(context.Background(), "1", 10*time.Second)
	var open *StillOpenError
	same(t, errors.As(err, &open), true)
	same(t, err.Error(), "transaction 1 is still PROCESSING")

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = NewClient("https://attestor.invalid", "id", "secret").WaitForEnd(ctx, "1", time.Minute)
	same(t, err, context.Canceled)
}

// Decodes a body of the contract, and fails for a member that the type lacks, or puts elsewhere.
func roundTrip(t *testing.T, body json.RawMessage, value any) {
	t.Helper()
	// Go writes no zeros at the end of a time.
	body = regexp.MustCompile(`(\.[0-9]*[1-9])?\.?0*Z"`).ReplaceAll(body, []byte(`${1}Z"`))
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(value); err != nil {
		t.Error(err)
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		t.Error(err)
	}
	var got, expected any
	if json.Unmarshal(encoded, &got) != nil || json.Unmarshal(body, &expected) != nil {
		t.Fatal("no JSON")
	}
	same(t, got, expected)
}

func TestEveryFieldOfTheContractIsSentAndRead(t *testing.T) {
	content, err := os.ReadFile("../contract.generated.json")
	if err != nil {
		t.Fatal(err)
	}
	var contract map[string]struct{ Sent, Answered json.RawMessage }
	if err := json.Unmarshal(content, &contract); err != nil {
		t.Fatal(err)
	}
	roundTrip(t, contract["customer"].Sent, &NewCustomer{})
	roundTrip(t, contract["customer"].Answered, &RegisteredCustomer{})
	roundTrip(t, contract["transaction"].Sent, &NewTransaction{})
	roundTrip(t, contract["transaction"].Answered, &OpenedTransaction{})
	roundTrip(t, contract["read"].Answered, &Transaction{})
	roundTrip(t, contract["age"].Sent, &NewTransaction{})
	roundTrip(t, contract["age_read"].Answered, &Transaction{})
	var page struct{ Data []json.RawMessage }
	if err := json.Unmarshal(contract["list"].Answered, &page); err != nil {
		t.Fatal(err)
	}
	roundTrip(t, page.Data[0], &ListedTransaction{})
	client, p := play(ok(fresh), ok(`{}`))
	_, _ = client.CreateTransaction(context.Background(), NewTransaction{Config: &Config{TransactionTTLMinutes: 5, Reference: "r"}}, "")
	same(t, p.bodies[1], `{"customer_id":"","transaction_type":"","config":{"transaction_ttl_minutes":5,"reference":"r"}}`)
}

func TestWhatIsIgnoredIsSaid(t *testing.T) {
	client, _ := play(ok(fresh), answer{status: 201, content: `{}`, header: map[string]string{"X-Ignored-Fields": "refrence, config.ttl"}})
	var heard []string
	client.OnIgnored = func(path string, members []string) { heard = append(append(heard, path), members...) }
	if err := client.Call(context.Background(), "POST", "/x", "", map[string]any{"refrence": 1}, nil); err != nil {
		t.Fatal(err)
	}
	same(t, heard, []string{"/x", "refrence", "config.ttl"})
}

func TestAListIsReadToItsEnd(t *testing.T) {
	client, p := play(ok(fresh), ok(`{"data":[{"id":"1"},{"id":"2"}],"next_cursor":"n/"}`), ok(`{"data":[{"id":"3"}],"next_cursor":null}`))
	var ids []string
	err := client.EachTransaction(context.Background(), url.Values{"status": {"FINISHED"}}, func(one ListedTransaction) error {
		ids = append(ids, one.ID)
		return nil
	})
	same(t, err, nil)
	same(t, ids, []string{"1", "2", "3"})
	same(t, p.requests[2].URL.RawQuery, "cursor=n%2F&status=FINISHED")
}

// With the service that ATTESTOR_URL names: it takes and ignores nothing of the whole contract. Prints the transaction's id.
func TestTheServiceTakesTheContract(t *testing.T) {
	address := os.Getenv("ATTESTOR_URL")
	if address == "" {
		t.Skip("ATTESTOR_URL is not set")
	}
	content, err := os.ReadFile("../contract.generated.json")
	if err != nil {
		t.Fatal(err)
	}
	var contract struct {
		Customer    struct{ Sent NewCustomer }
		Transaction struct{ Sent NewTransaction }
		Age         struct{ Sent NewTransaction }
	}
	if err := json.Unmarshal(content, &contract); err != nil {
		t.Fatal(err)
	}
	client := NewClient(address, os.Getenv("ATTESTOR_CLIENT_ID"), os.Getenv("ATTESTOR_CLIENT_SECRET"))
	client.OnIgnored = func(path string, members []string) { t.Error(path, members) }
	customer, err := client.CreateCustomer(context.Background(), contract.Customer.Sent)
	if err != nil {
		t.Fatal(err)
	}
	contract.Transaction.Sent.CustomerID = customer.CustomerID
	opened, err := client.CreateTransaction(context.Background(), contract.Transaction.Sent, "")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("opened", opened.TransactionID)
	contract.Age.Sent.CustomerID = customer.CustomerID
	if _, err := client.CreateTransaction(context.Background(), contract.Age.Sent, ""); err != nil {
		t.Fatal(err)
	}
}
