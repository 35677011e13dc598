// Package attestor is a backend's client of Attestor, with the standard library alone. This file verifies webhooks, and can be
// copied alone; client.go calls the service.
package attestor

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"regexp"
	"sync"
	"time"
)

const (
	maxSkew      = 5 * time.Minute // A valid signature does not expire by itself, so older and newer ones are rejected.
	maxCacheAge  = time.Hour
	minRefetch   = 10 * time.Second // Anybody can invent key ids; these must not cause a request each.
	fetchTimeout = 5 * time.Second
)

// RejectedError says why a webhook is not verified: answer 401. Any other error means that the keys could not be
// fetched: answer 503, and the webhook comes again.
type RejectedError struct{ Reason string }

func (e RejectedError) Error() string { return e.Reason }

// Key is an entry of the key set: Alg names the algorithm, Kid the key.
type Key struct {
	Kid, Alg, Kty, N, E, Crv, X, Y string
}

// KeySet has the keys at {base_url}/.well-known/jwks.json: cached for an hour, fetched again when a key id is new.
type KeySet struct {
	URL string
	// Client and Now can be replaced, for tests.
	Client *http.Client
	Now    func() time.Time

	mutex     sync.Mutex
	keys      []Key
	fetchedAt time.Time
}

// NewKeySet reads nothing until the first webhook comes.
func NewKeySet(url string) *KeySet {
	noRedirects := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &KeySet{URL: url, Client: &http.Client{Timeout: fetchTimeout, CheckRedirect: noRedirects}, Now: time.Now}
}

func (s *KeySet) matching(kid string) []Key {
	var found []Key
	for _, key := range s.keys {
		if kid == "" || key.Kid == kid {
			found = append(found, key)
		}
	}
	return found
}

func (s *KeySet) refresh(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil)
	if err != nil {
		return err
	}
	response, err := s.Client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s returned %s", s.URL, response.Status)
	}
	var published struct{ Keys []Key }
	if err := json.NewDecoder(response.Body).Decode(&published); err != nil {
		return err
	}
	if published.Keys == nil {
		return errors.New(s.URL + " returned no keys")
	}
	s.keys, s.fetchedAt = published.Keys, s.Now()
	return nil
}

// The key with this id; every key where the id is empty, as X-Key-Id is optional.
func (s *KeySet) find(ctx context.Context, kid string) ([]Key, error) {
	s.mutex.Lock() // One request serves all webhooks that arrive meanwhile.
	defer s.mutex.Unlock()
	age := s.Now().Sub(s.fetchedAt)
	if age > maxCacheAge || (age > minRefetch && len(s.matching(kid)) == 0) {
		if err := s.refresh(ctx); err != nil {
			return nil, err
		}
	}
	return s.matching(kid), nil
}

func number(text string) *big.Int {
	bytes, _ := base64.RawURLEncoding.DecodeString(text)
	return new(big.Int).SetBytes(bytes)
}

func (key Key) isUsable() bool {
	switch key.Alg {
	case "RS256":
		return key.Kty == "RSA"
	case "ES256":
		return key.Kty == "EC" && key.Crv == "P-256"
	case "EdDSA":
		return key.Kty == "OKP" && key.Crv == "Ed25519"
	}
	return false
}

func (key Key) verifies(data, signature []byte) bool {
	digest := sha256.Sum256(data)
	switch key.Alg {
	case "RS256":
		public := rsa.PublicKey{N: number(key.N), E: int(number(key.E).Int64())}
		return rsa.VerifyPKCS1v15(&public, crypto.SHA256, digest[:], signature) == nil
	case "ES256":
		// Two numbers of 32 bytes one after the other (RFC 7518 §3.4).
		if len(signature) != 64 {
			return false
		}
		public := ecdsa.PublicKey{Curve: elliptic.P256(), X: number(key.X), Y: number(key.Y)}
		r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
		return ecdsa.Verify(&public, digest[:], r, s)
	case "EdDSA":
		public, err := base64.RawURLEncoding.DecodeString(key.X)
		return err == nil && len(public) == ed25519.PublicKeySize && ed25519.Verify(public, data, signature)
	}
	return false
}

var timestampShape = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

// Notification is the body of a webhook. Its status is not signed: read the transaction before you act on it.
type Notification struct {
	TransactionID string
	Status        string
	// Every member of the body.
	Body map[string]any
}

func readNotification(body []byte) (*Notification, bool) {
	// A map, because the names of a struct's fields are read in any case.
	var content map[string]any
	if json.Unmarshal(body, &content) != nil {
		return nil, false
	}
	transactionID, isText := content["transaction_id"].(string)
	status, isTextToo := content["status"].(string)
	return &Notification{transactionID, status, content}, isText && isTextToo
}

// Some gateways give headers whose names are not canonical. Of two values that differ none is believed.
func read(header http.Header, name string) string {
	found := ""
	for given, values := range header {
		if http.CanonicalHeaderKey(given) != name {
			continue
		}
		for _, value := range values {
			if found != "" && value != found {
				return ""
			}
			found = value
		}
	}
	return found
}

// VerifyWebhook says whether a webhook is authentic and not older or newer than 5 minutes. What is signed is
// "<timestamp>:<transaction_id>".
func VerifyWebhook(ctx context.Context, header http.Header, body []byte, keys *KeySet) (*Notification, error) {
	timestamp, signature := read(header, "X-Timestamp"), read(header, "X-Signature")
	if timestamp == "" || signature == "" {
		return nil, RejectedError{"missing_header"}
	}
	signedAt, err := time.Parse(time.RFC3339, timestamp)
	if err != nil || !timestampShape.MatchString(timestamp) {
		return nil, RejectedError{"malformed_timestamp"}
	}
	if keys.Now().Sub(signedAt).Abs() > maxSkew {
		return nil, RejectedError{"timestamp_out_of_range"}
	}
	signatureBytes, err := base64.StdEncoding.DecodeString(signature)
	if err != nil {
		return nil, RejectedError{"malformed_signature"}
	}
	notification, isNotification := readNotification(body)
	if !isNotification {
		return nil, RejectedError{"malformed_body"}
	}
	found, err := keys.find(ctx, read(header, "X-Key-Id"))
	if err != nil {
		return nil, fmt.Errorf("key set: %w", err)
	}
	data := []byte(timestamp + ":" + notification.TransactionID)
	reason := "unknown_key"
	for _, key := range found {
		if !key.isUsable() {
			continue
		}
		if key.verifies(data, signatureBytes) {
			return notification, nil
		}
		reason = "wrong_signature"
	}
	return nil, RejectedError{reason}
}
