# python3 sample.py SERVICE_URL CLIENT_ID CLIENT_SECRET: a whole verification with a test account, without a phone.
import sys

from attestor import KYC, Client

attestor = Client(*sys.argv[1:4])
customer = attestor.create_customer({"external_customer_id": "python-1"})
opened = attestor.create_transaction(
    {
        "customer_id": customer["customer_id"],
        "transaction_type": "DOCUMENT_AND_BIOMETRIC",
        "config": {"test": {"issues": ["EXPIRED_DOCUMENT"]}},
    }
)
# What a phone would do. With a live account send the person to opened["verify_url"].
attestor.call("POST", f"{KYC}/test/transaction/{opened['transaction_id']}/walk", {"to": "COMPLETED"})

transaction = attestor.wait_for_end(opened["transaction_id"])
result = transaction["result_data"]
print(transaction["status"], result["decision"], result["issues"][0]["code"])
