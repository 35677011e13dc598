# For the examples of these pages: `. docs/integrate/examples.sh` in the repository's folder, with the service running.
# It makes an account for tests once (test-account.json) and gets an access token for it.
# Node 24 comes with the packages, and runs TypeScript as it is.
export PATH=$PWD/node_modules/.bin:$PATH
URL=${URL:-http://127.0.0.1:3000}
KYC=$URL/api/account/integration/kyc
SDK=$URL/api/sdk/v1/session

# field PATH: one member of the JSON that comes in.
field() { node -pe "JSON.parse(fs.readFileSync(0)).$1"; }

[ -e test-account.json ] ||
  npm run --silent attestor -- account create --name "Trying it out" --test --json > test-account.json
CLIENT_ID=$(field client_id < test-account.json)
CLIENT_SECRET=$(field client_secret < test-account.json)
TOKEN=$(curl -s $URL/oauth2/token -d grant_type=client_credentials -d client_id=$CLIENT_ID \
  -d client_secret=$CLIENT_SECRET -d scope=account-integration-api/account-api-access | field access_token)

# kyc: curl as the integrator's backend. sdk: curl as the device of the transaction whose SDK_TOKEN is set.
kyc() { curl -s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@"; }
sdk() { curl -s -H "Authorization: Bearer $SDK_TOKEN" "$@"; }

CUSTOMER_ID=$(kyc $KYC/customer -d '{"external_customer_id": "example"}' | field customer_id)

# open_transaction CONFIG [TYPE]: opens a transaction of this customer. Sets TRANSACTION_ID and SDK_TOKEN.
open_transaction() {
  local opened
  opened=$(kyc $KYC/transaction -d '{"customer_id": "'$CUSTOMER_ID'",
    "transaction_type": "'${2:-DOCUMENT_AND_BIOMETRIC}'", "config": '"$1"'}')
  TRANSACTION_ID=$(field transaction_id <<< "$opened")
  SDK_TOKEN=$(field sdk_token <<< "$opened")
}

# verify CONFIG [TYPE]: opens one, does what a phone would, and waits for its end.
verify() {
  open_transaction "$@"
  kyc -o /dev/null $KYC/test/transaction/$TRANSACTION_ID/walk -d '{"to": "COMPLETED"}'
  sdk -o /dev/null "$SDK/result?wait=20"
}
