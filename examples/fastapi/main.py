import os
import uuid
from pathlib import Path
from typing import Optional

from attestor import Client
from fastapi import Cookie, FastAPI, HTTPException, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.staticfiles import StaticFiles
from attestor.verify_webhook import KeySet, KeySetUnavailable, verify_webhook

SERVICE = os.environ.get("ATTESTOR_URL", "http://127.0.0.1:3000")
PUBLIC_URL = os.environ.get("PUBLIC_URL", "http://127.0.0.1:8080")

# It gets a token, and renews it.
attestor = Client(SERVICE, os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"])
keys = KeySet(f"{SERVICE}/.well-known/jwks.json")

# How each verification ended, by its transaction; None while it is open. Yours is a database.
verifications: dict = {}

app = FastAPI()


@app.post("/verifications")
def begin(response: Response):
    # Yours knows who is logged in; here everybody is new.
    customer = attestor.create_customer({"external_customer_id": str(uuid.uuid4())})
    config = {"embed_origins": [PUBLIC_URL], "webhook": {"url": f"{PUBLIC_URL}/webhooks"}}
    opened = attestor.create_transaction(
        {"customer_id": customer["customer_id"], "transaction_type": "DOCUMENT_AND_BIOMETRIC", "config": config}
    )
    verifications[opened["transaction_id"]] = None
    response.set_cookie("transaction_id", opened["transaction_id"], httponly=True, samesite="lax")
    # An app of yours gets `sdk_token` instead.
    return {"verify_url": opened["verify_url"]}


@app.get("/verifications/mine")
def show(transaction_id: Optional[str] = Cookie(None)):
    if transaction_id not in verifications:
        raise HTTPException(404)
    return verifications[transaction_id] or {"status": "OPEN"}


def read(transaction_id: str):
    transaction = attestor.get_transaction(transaction_id)
    decision = (transaction["result_data"] or {}).get("decision")
    verifications[transaction_id] = {"status": transaction["status"], "decision": decision}


@app.post("/webhooks", status_code=204)
async def receive(request: Request):
    length = request.headers.get("content-length", "")
    if not length.isdecimal() or int(length) > 65536:
        raise HTTPException(413)
    try:
        result = await run_in_threadpool(verify_webhook, request.headers, await request.body(), keys)
    except KeySetUnavailable:
        raise HTTPException(503)  # Asks for another attempt.
    if not result.verified:
        raise HTTPException(401)
    transaction_id, status = result.notification["transaction_id"], result.notification["status"]
    # It may come twice, and its status is not signed: the transaction is read.
    if status in ("FINISHED", "FAILED", "EXPIRED") and verifications.get(transaction_id, status) is None:
        await run_in_threadpool(read, transaction_id)


app.mount("/", StaticFiles(directory=Path(__file__).parent.parent / "page", html=True))
