// go run ./receiver SERVICE_URL PORT
package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"sync"

	"attestor"
)

var (
	keys    = attestor.NewKeySet(os.Args[1] + "/.well-known/jwks.json")
	mutex   sync.Mutex
	handled = map[string]bool{} // Yours is a database.
)

func receive(request *http.Request) int {
	body, err := io.ReadAll(http.MaxBytesReader(nil, request.Body, 65536))
	if err != nil {
		return http.StatusRequestEntityTooLarge
	}
	notification, err := attestor.VerifyWebhook(request.Context(), request.Header, body, keys)
	var rejected attestor.RejectedError
	if errors.As(err, &rejected) {
		fmt.Println("rejected: " + rejected.Reason)
		return http.StatusUnauthorized
	}
	if err != nil {
		return http.StatusServiceUnavailable // The keys could not be fetched: asks for another attempt.
	}
	once := notification.TransactionID + " " + notification.Status
	mutex.Lock()
	defer mutex.Unlock()
	if !handled[once] {
		fmt.Println("verified: " + once) // Queue your own work here: read the transaction with your token.
	}
	handled[once] = true
	return http.StatusNoContent
}

func main() {
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		response.WriteHeader(receive(request))
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[2], nil))
}
