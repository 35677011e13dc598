// go run ./sample SERVICE_URL CLIENT_ID CLIENT_SECRET: a whole verification with a test account, without a phone.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"attestor"
)

func verify(ctx context.Context, client *attestor.Client) (*attestor.Transaction, error) {
	customer, err := client.CreateCustomer(ctx, attestor.NewCustomer{ExternalCustomerID: "go-1"})
	if err != nil {
		return nil, err
	}
	opened, err := client.CreateTransaction(ctx, attestor.NewTransaction{
		CustomerID:      customer.CustomerID,
		TransactionType: "DOCUMENT_AND_BIOMETRIC",
		Config:          &attestor.Config{Test: map[string]any{"issues": []string{"EXPIRED_DOCUMENT"}}},
	}, "")
	if err != nil {
		return nil, err
	}
	// What a phone would do. With a live account send the person to opened.VerifyURL.
	walk := "/api/account/integration/kyc/test/transaction/" + opened.TransactionID + "/walk"
	if err := client.Call(ctx, "POST", walk, "", map[string]any{"to": "COMPLETED"}, nil); err != nil {
		return nil, err
	}
	return client.WaitForEnd(ctx, opened.TransactionID, 2*time.Minute)
}

func main() {
	transaction, err := verify(context.Background(), attestor.NewClient(os.Args[1], os.Args[2], os.Args[3]))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(transaction.Status, transaction.Result.Decision, transaction.Result.Issues[0].Code)
}
