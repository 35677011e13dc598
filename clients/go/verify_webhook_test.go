package attestor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

type step struct {
	Name      string
	At        time.Time
	Published *string
	Headers   map[string]string
	Body      string
	Expected  string
	Fetches   bool
}

// publisher answers requests for the key set.
type publisher struct {
	keySets   map[string]json.RawMessage
	published *string
	requests  int
}

func (p *publisher) RoundTrip(*http.Request) (*http.Response, error) {
	p.requests++
	if p.published == nil {
		return &http.Response{StatusCode: 503, Body: http.NoBody}, nil
	}
	return &http.Response{StatusCode: 200, Body: io.NopCloser(bytes.NewReader(p.keySets[*p.published]))}, nil
}

func said(err error) string {
	var rejected RejectedError
	if err == nil {
		return "verified"
	}
	if errors.As(err, &rejected) {
		return rejected.Reason
	}
	return "unavailable"
}

// The vectors that every client is held to.
func TestReceivers(t *testing.T) {
	text, err := os.ReadFile("../webhook_vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		KeySets   map[string]json.RawMessage `json:"key_sets"`
		Receivers []struct {
			Name  string
			Steps []step
		}
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	for n, receiver := range vectors.Receivers {
		t.Run(fmt.Sprintf("%d %s", n, receiver.Name), func(t *testing.T) {
			answers := &publisher{keySets: vectors.KeySets}
			keys := NewKeySet("https://attestor.invalid/")
			keys.Client = &http.Client{Transport: answers}
			for at, step := range receiver.Steps {
				spell := []func(string) string{http.CanonicalHeaderKey, strings.ToLower}[at%2]
				header := http.Header{}
				for name, value := range step.Headers {
					header[spell(name)] = []string{value, value}
				}
				keys.Now = func() time.Time { return step.At }
				answers.published = step.Published
				before := answers.requests
				_, err := VerifyWebhook(context.Background(), header, []byte(step.Body), keys)
				if got := said(err); got != step.Expected {
					t.Errorf("%s: %s, not %s", step.Name, got, step.Expected)
				}
				if fetches := answers.requests > before; fetches != step.Fetches {
					t.Errorf("%s: fetches: %t", step.Name, fetches)
				}
			}
		})
	}
}
