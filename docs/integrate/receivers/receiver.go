// go run receiver.go SERVICE_URL PORT
package main

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"os"
	"sync"
	"time"
)

type key struct{ Kid, Alg, N, E string }

var (
	service   = os.Args[1]
	mutex     sync.Mutex
	handled   = map[string]bool{} // Yours is a database.
	keys      []key
	fetchedAt time.Time
	client    = http.Client{Timeout: 5 * time.Second}
)

func knows(kid string) bool {
	for _, key := range keys {
		if key.Kid == kid {
			return true
		}
	}
	return false
}

// Cached for an hour; fetched again for a key id that is new, every 10 seconds at most.
func keysFor(kid string) ([]key, error) {
	mutex.Lock()
	defer mutex.Unlock()
	age := time.Since(fetchedAt)
	if age > time.Hour || (age > 10*time.Second && !knows(kid)) {
		answer, err := client.Get(service + "/.well-known/jwks.json")
		if err != nil {
			return nil, err
		}
		defer answer.Body.Close()
		var set struct{ Keys []key }
		if answer.StatusCode != 200 {
			return nil, errors.New("the key set answered " + answer.Status)
		}
		if err := json.NewDecoder(answer.Body).Decode(&set); err != nil {
			return nil, err
		}
		keys, fetchedAt = set.Keys, time.Now()
	}
	return keys, nil
}

func isAuthentic(header http.Header, transactionID string) (bool, error) {
	sentAt, err := time.Parse(time.RFC3339, header.Get("X-Timestamp"))
	if err != nil || time.Since(sentAt).Abs() > 5*time.Minute {
		return false, nil
	}
	proof, err := base64.StdEncoding.DecodeString(header.Get("X-Signature"))
	if err != nil {
		return false, nil
	}
	kid := header.Get("X-Key-Id")
	known, err := keysFor(kid)
	if err != nil {
		return false, err
	}
	digest := sha256.Sum256([]byte(header.Get("X-Timestamp") + ":" + transactionID))
	for _, key := range known {
		if key.Alg != "RS256" || (kid != "" && key.Kid != kid) {
			continue
		}
		n, _ := base64.RawURLEncoding.DecodeString(key.N)
		e, _ := base64.RawURLEncoding.DecodeString(key.E)
		public := rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(new(big.Int).SetBytes(e).Int64())}
		if rsa.VerifyPKCS1v15(&public, crypto.SHA256, digest[:], proof) == nil {
			return true, nil
		}
	}
	return false, nil
}

func receive(request *http.Request) int {
	var notification struct {
		TransactionID string `json:"transaction_id"`
		Status        string `json:"status"`
	}
	if json.NewDecoder(io.LimitReader(request.Body, 65536)).Decode(&notification) != nil {
		return 401 // Anyone can post anything here.
	}
	authentic, err := isAuthentic(request.Header, notification.TransactionID)
	if err != nil {
		return 503 // The keys could not be fetched: ask for another attempt.
	}
	if !authentic {
		return 401
	}
	once := notification.TransactionID + " " + notification.Status
	mutex.Lock()
	defer mutex.Unlock()
	if !handled[once] {
		fmt.Println("verified: " + once) // Queue your own work here: read the transaction with your token.
	}
	handled[once] = true
	return 204
}

func main() {
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		response.WriteHeader(receive(request))
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[2], nil))
}
