/** Made by `npm run generate` of the OpenAPI document; don't edit. */
export interface paths {
    "/api/account/integration/kyc/customer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List customers, or find one
         * @description With `external_customer_id` the one that has it; else a page of all, newest first.
         */
        get: operations["listCustomers"];
        put?: never;
        /**
         * Create customer
         * @description Registers a person once. Repeated with the same data it returns the existing customer; other data are a conflict, which names it.
         */
        post: operations["createCustomer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/integration/kyc/customer/{customer_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get customer
         * @description The customer as you registered or changed it.
         */
        get: operations["getCustomer"];
        put?: never;
        post?: never;
        /**
         * Erase a customer with all that is theirs
         * @description What is open ends as FAILED first. The same receipt again when repeated.
         */
        delete: operations["eraseCustomer"];
        options?: never;
        head?: never;
        /**
         * Change customer
         * @description A member that is absent stays as it is; null takes the value away.
         */
        patch: operations["changeCustomer"];
        trace?: never;
    };
    "/api/account/integration/kyc/transaction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List transactions
         * @description Transactions of your account that fit every filter, with their decisions but without their results.
         */
        get: operations["listTransactions"];
        put?: never;
        /**
         * Create transaction
         * @description Opens a verification of a customer. Give the device `sdk_token`, or the person `verify_url`, and nothing else.
         */
        post: operations["createTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/integration/kyc/transaction/{transaction_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get transaction
         * @description Its status, and its result once it is FINISHED or FAILED.
         */
        get: operations["getTransaction"];
        put?: never;
        post?: never;
        /**
         * Erase a transaction
         * @description What is open ends as FAILED first. The same receipt again when repeated.
         */
        delete: operations["eraseTransaction"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/integration/kyc/transaction/{transaction_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happened to a transaction
         * @description Every event that the transaction accepted, and who sent it.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/integration/kyc/transaction/{transaction_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a transaction
         * @description Ends it as FAILED, also while it is analysed. Repeating it changes nothing.
         */
        post: operations["cancelTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/integration/kyc/transaction/{transaction_id}/captures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The images of a transaction
         * @description The images that the transaction holds, by what they show, without their content.
         */
        get: operations["listCaptures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/integration/kyc/transaction/{transaction_id}/captures/{capture_id}/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A link to one image, for five minutes
         * @description For a person who looks at once: anybody who has the link can read the image.
         */
        post: operations["createCaptureLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/integration/kyc/transaction/{transaction_id}/evidence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The evidence of a transaction, signed
         * @description The journal, hashed entry by entry, with the trace of the decision, as a JWS.
         */
        get: operations["getEvidence"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/integration/kyc/erasure/{erasure_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The receipt of an erasure
         * @description What was erased, when and by whom: it remains when all else is gone, and names nobody.
         */
        get: operations["getErasure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/integration/kyc/delivery": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Webhooks of all transactions
         * @description Oldest first, by when the status was reached. A page may hold few, or none, and still have a next one.
         */
        get: operations["listAllDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/integration/kyc/delivery/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Repeat many deliveries
         * @description Queues a page of deliveries again, the oldest first: those that were given up, or those in the states that are named.
         */
        post: operations["redeliverAll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/integration/kyc/transaction/{transaction_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Webhooks, with every attempt
         * @description The notifications of one transaction in their order, each with every attempt and what your receiver answered.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/integration/kyc/transaction/{transaction_id}/deliveries/{delivery_id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Repeat a delivery
         * @description Sends the same notification again, from the first attempt of the schedule, and after the deliveries before it.
         */
        post: operations["redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sdk/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The state of the session
         * @description Which steps are missing, and which are captured. With `seen` it answers as soon as anything has changed, or after `wait`.
         */
        get: operations["getSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sdk/v1/session/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start the session
         * @description Begins the capture, with what is known of the device. A second call changes nothing: what the first one reported stays.
         */
        post: operations["startSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sdk/v1/session/signals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Report device, network and location
         * @description The last write before the end of the capture wins. Absent and null both mean unknown.
         */
        put: operations["putSignals"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sdk/v1/session/document": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Choose another document
         * @description The person has chosen the wrong type. Drops the pictures of the document; the takes stay counted. The same type again changes nothing.
         */
        put: operations["changeDocument"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sdk/v1/session/document/front": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Take or retake the document’s front
         * @description The image as the body. Another one is a retake; the same one again gets the same answer. `warnings` say whether its zone or barcode and its portrait were found.
         */
        put: operations["putDocumentFront"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sdk/v1/session/document/back": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Take or retake the document’s back
         * @description The image as the body. Another one is a retake; the same one again gets the same answer. Required of every card. `warnings` say whether its zone or barcode and its portrait were found.
         */
        put: operations["putDocumentBack"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sdk/v1/session/selfie": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Take or retake the selfie
         * @description The image as the body. Another one is a retake; the same one again gets the same answer. `warnings` say whether the face can be compared.
         */
        put: operations["putSelfie"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sdk/v1/session/liveness/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a liveness challenge
         * @description Draws the actions that the person is asked for. A new challenge voids an earlier one with its images.
         */
        post: operations["issueChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sdk/v1/session/liveness/{challenge_id}/{n}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Answer action n of a challenge
         * @description The image as the body, in any order. A photo that was used before is rejected, except the same one for the same action: it gets the same answer. A JPEG may carry a stamp of its challenge, action and time, which must fit. `warnings` say whether it shows the action.
         */
        put: operations["putFrame"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sdk/v1/session/captures/{kind}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Drop a capture for a retake
         * @description Deletes what was captured of a step, so that it is missing again.
         */
        delete: operations["dropCapture"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sdk/v1/session/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Finish the capture
         * @description Submits what was captured for analysis; every required step must be there. Repeated, it returns the same.
         */
        post: operations["completeSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sdk/v1/session/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Wait for the outcome
         * @description For the result screen: answers as soon as it has ended, or waits for a person, or after `wait`.
         */
        get: operations["getResult"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sdk/v1/session/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give up
         * @description The person leaves: with `final` the transaction ends as FAILED, without it nothing changes and they may come back.
         */
        post: operations["cancelSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/integration/kyc/test/clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Advance a test account’s clock
         * @description Timers and retries fire as if the time had passed. Give `advance_seconds`, or `expires_in_seconds` with a transaction.
         */
        post: operations["advanceTestClock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/integration/kyc/test/transaction/{transaction_id}/walk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take the steps of a device
         * @description Takes the steps that are missing, with placeholders. One that is there already stays as it is.
         */
        post: operations["walkTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/integration/kyc/test/listen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take the next delivery to listen.invalid
         * @description Leases the next attempt of a webhook to `https://listen.invalid/`, so that a developer’s own machine makes the call: `attestor listen` does.
         */
        post: operations["listen"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/integration/kyc/test/listen/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report what the receiver answered
         * @description Counts as the attempt’s outcome, as if the service had made the call.
         */
        post: operations["reportAttempt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sdk/v1/session/document/chip/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a challenge for the document’s chip
         * @description For active authentication: a chip that answers it is no copy. A challenge is used once, and a new one voids an earlier one.
         */
        post: operations["issueChipChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sdk/v1/session/document/chip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Hand over what was read of the document’s chip
         * @description The files as a reader read them, in base64, at most 1 MiB in all; or why nothing was read. Only where `config.document_policy.chip` asks for it.
         */
        put: operations["putChip"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sdk/v1/session/document/wallet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask a wallet
         * @description Opens a request, which is answered once, in time; an earlier one is void. Only where `config.document_policy.wallet` asks for it.
         */
        post: operations["requestWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sdk/v1/session/document/wallet/{request_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Hand over a wallet’s answer
         * @description What `navigator.credentials.get` returned. It uses the request up: what is no answer to it is refused, and the person may ask again, or take photographs. Who signed it is judged with the transaction.
         */
        put: operations["putWalletAnswer"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/integration/kyc/customer/{customer_id}/duplicates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what a customer shares with others
         * @description The documents and pictures that transactions of this customer and of another one of your account have in common, as their analyses found them.
         */
        get: operations["listDuplicates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sdk/v1/session/handoff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let another device go on
         * @description A one-time code for ten minutes, also as a link. An earlier one is void. The first device, which has the token of the transaction’s creation, may always ask: a device that captures meanwhile is void, too.
         */
        post: operations["offerHandoff"];
        /**
         * Go on on the first device
         * @description The first device, which has the token of the transaction’s creation, captures again. Tokens and codes of others are void.
         */
        delete: operations["takeBackHandoff"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sdk/v1/handoff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go on on this device
         * @description Exchanges a code for a token. The device that offered it can only read from then on.
         */
        post: operations["claimHandoff"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sdk/v1/session/handoff/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the link to another device
         * @description Has the operator send the link by e-mail or SMS, where `may_send` of the offer is true: at most three times for a transaction. The recipient is not kept.
         */
        post: operations["sendHandoff"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sdk/v1/session/attestation/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a challenge for the device’s key
         * @description For Android’s key attestation and Apple’s App Attest. A challenge is used once, and a new one voids an earlier one.
         */
        post: operations["issueAttestationChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sdk/v1/session/attestation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Prove what the device is
         * @description What the device’s maker signed of a key in its hardware, of its system and of the app. It counts for this device; a later one replaces it. The key may then sign captures.
         */
        put: operations["putAttestation"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * Format: uuid
         * @description A UUID; upper and lower case are the same.
         */
        Id: string;
        Notification: {
            /** @description The verification, by the id that Create transaction returned. */
            transaction_id: components["schemas"]["Id"];
            /**
             * @description The status that was reached; `FINISHED`, `FAILED` and `EXPIRED` are final.
             * @enum {string}
             */
            status: "INITIATED" | "COMPLETED" | "PROCESSING" | "FINISHED" | "FAILED" | "EXPIRED";
            /** @description The same on every attempt. */
            event_id: components["schemas"]["Id"];
            /** @description Counts the transaction’s notifications, from 1. */
            sequence: number;
            /** @description When it happened, by the account’s clock. */
            occurred_at: components["schemas"]["Timestamp"];
        };
        /**
         * Format: date-time
         * @description ISO-8601 in UTC with milliseconds.
         */
        Timestamp: string;
        /** @description The first rule broken: `<field path>: <rule violated>` where a field is to blame. */
        Error: {
            /** @description The first rule broken: `<field path>: <rule violated>` where a field is to blame. */
            error: string;
        };
        ListedChart: {
            /** @description Which chart: `transaction` or `delivery`. */
            name: string;
            /** @description Which version of it, from 1. */
            version: number;
            /**
             * Format: uri
             * @description Where the definition is, as JSON.
             */
            url: string;
            /**
             * Format: uri
             * @description Where the chart is as an SVG picture.
             */
            svg_url: string;
            /**
             * Format: uri
             * @description Where the chart is as Mermaid text.
             */
            mermaid_url: string;
        };
        Chart: {
            /** @description Which chart: `transaction` or `delivery`. */
            name: string;
            /** @description Which version of it, from 1. */
            version: number;
            /**
             * Format: uri
             * @description Where the definition is, as JSON.
             */
            url: string;
            /**
             * Format: uri
             * @description Where the chart is as an SVG picture.
             */
            svg_url: string;
            /**
             * Format: uri
             * @description Where the chart is as Mermaid text.
             */
            mermaid_url: string;
            /** @description The machine’s `config`: states, transitions, and the names of guards, actions, jobs and delays. */
            definition: {
                [key: string]: unknown;
            };
        };
        AccessToken: {
            /** @description Opaque. Goes into `Authorization: Bearer` of every call of the backend. */
            access_token: string;
            /**
             * @description How long the token is valid, in seconds from now.
             * @constant
             */
            expires_in: 3600;
            /**
             * @description Always `Bearer`.
             * @constant
             */
            token_type: "Bearer";
        };
        OAuthError: {
            /** @description What went wrong, as a code of RFC 6749 §5.2. */
            error: string;
            /** @description What is wrong, for people. */
            error_description: string;
        };
        RegisteredCustomer: {
            /** @description Your own id of the person, unique in your account; upper and lower case differ, ways in which Unicode composes a letter do not. */
            external_customer_id: string;
            /** @description Identifies the customer in other calls. */
            customer_id: components["schemas"]["Id"];
            /** @description When the service stored it. */
            created_at: components["schemas"]["Timestamp"];
        };
        Customer: {
            /** @description Your own id of the person, unique in your account; upper and lower case differ, ways in which Unicode composes a letter do not. */
            external_customer_id: string;
            /** @description Identifies the customer in other calls. */
            customer_id: components["schemas"]["Id"];
            /** @description When the service stored it. */
            created_at: components["schemas"]["Timestamp"];
            /** @description The person’s e-mail address, in which letter case makes no difference; null where there is none. */
            email: string | null;
            /** @description The person’s telephone number: `+`, a country code that exists, and 7 to 15 digits in all; null where there is none. */
            phone_number: string | null;
        };
        ErasureReceipt: {
            /** @description Names the receipt, by which it can be read later. */
            erasure_id: components["schemas"]["Id"];
            /**
             * @description Whether a customer was erased, with all of their transactions, or one transaction.
             * @enum {string}
             */
            subject: "customer" | "transaction";
            /** @description The customer or the transaction that was erased. */
            subject_id: components["schemas"]["Id"];
            /** @description From when on no call finds it any more. */
            erased_at: components["schemas"]["Timestamp"];
            /** @description When all was erased; null while something is left to erase. */
            completed_at: components["schemas"]["Timestamp"] | null;
            /** @description Who asked for it: a client id of your account, `operator/` and an id from the console, or `command_line`. */
            erased_by: string;
            /** @description How much of each was erased. */
            counts: {
                /** @description Transactions that were emptied. */
                transactions: number;
                /** @description Transactions that were open, and ended as FAILED. */
                cancelled: number;
                /** @description Images and reported signals that were deleted. */
                captures: number;
                /** @description Enrolled faces that were deleted: 0 or 1 of a customer. */
                faces: number;
                /** @description Answers that were kept for an `Idempotency-Key`, and deleted. */
                answers: number;
            };
        };
        OpenedTransaction: {
            /** @description Identifies the transaction in other calls. */
            transaction_id: components["schemas"]["Id"];
            /** @description The device’s token, opaque and for this one transaction: it goes into `Authorization: Bearer`. */
            sdk_token: string;
            /**
             * @description Always `Bearer`.
             * @constant
             */
            token_type: "Bearer";
            /** @description How long `sdk_token` is valid, in seconds from now. */
            expires_in: number;
            /** @description The capture page, its token in the fragment: a link for the person. */
            verify_url: string;
        };
        ListedTransaction: {
            /** @description Identifies the transaction in other calls. */
            id: components["schemas"]["Id"];
            /** @description The person, by the id that Create customer returned. */
            customer_id: components["schemas"]["Id"];
            /** @description `DOCUMENT_AND_BIOMETRIC` is a full onboarding, `BIOMETRIC_ONLY` a step-up, `AGE` an age without a name. */
            transaction_type: components["schemas"]["TransactionType"];
            /** @description Your own id of the transaction; null where you gave none. It need not be unique. */
            reference: string | null;
            /** @description Where the transaction is in its life; `FINISHED`, `FAILED` and `EXPIRED` are final. */
            status: components["schemas"]["TransactionStatus"];
            /** @description What was decided about the person; null until there is a result. */
            decision: ("APPROVED" | "REJECTED" | "UNDETERMINED") | null;
            /** @description When the service stored it. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When the device started the session; null before. */
            initiated_at: components["schemas"]["Timestamp"] | null;
            /** @description When the person finished the capture; null before. */
            completed_at: components["schemas"]["Timestamp"] | null;
            /** @description When the analysis started; null before. */
            processing_at: components["schemas"]["Timestamp"] | null;
            /** @description When it ended as FINISHED or FAILED; null before, and where it expired. */
            finished_at: components["schemas"]["Timestamp"] | null;
        };
        /**
         * @description A full onboarding with a document, a step-up of an enrolled person by their face, or an age without a name.
         * @enum {string}
         */
        TransactionType: "DOCUMENT_AND_BIOMETRIC" | "BIOMETRIC_ONLY" | "AGE";
        /**
         * @description `FINISHED`, `FAILED` and `EXPIRED` are final.
         * @enum {string}
         */
        TransactionStatus: "CREATED" | "INITIATED" | "COMPLETED" | "PROCESSING" | "FINISHED" | "FAILED" | "EXPIRED";
        Transaction: {
            /** @description Identifies the transaction in other calls. */
            id: components["schemas"]["Id"];
            /** @description The person, by the id that Create customer returned. */
            customer_id: components["schemas"]["Id"];
            /** @description Where the transaction is in its life; `FINISHED`, `FAILED` and `EXPIRED` are final. */
            status: components["schemas"]["TransactionStatus"];
            /** @description When the service stored it. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When the device started the session; null before. */
            initiated_at: components["schemas"]["Timestamp"] | null;
            /** @description When the person finished the capture; null before. */
            completed_at: components["schemas"]["Timestamp"] | null;
            /** @description When the analysis started; null before. */
            processing_at: components["schemas"]["Timestamp"] | null;
            /** @description When it ended as FINISHED or FAILED; null before, and where it expired. */
            finished_at: components["schemas"]["Timestamp"] | null;
            /** @description The result; null until the status is FINISHED or FAILED. */
            result_data: (components["schemas"]["Result"] | components["schemas"]["AgeResult"] | components["schemas"]["FailedResult"]) | null;
        };
        /** @description The result of a transaction that is `FINISHED`. */
        Result: {
            /**
             * @description What was decided: `UNDETERMINED` where a rule could not be applied, and none rejects.
             * @enum {string}
             */
            decision: "APPROVED" | "REJECTED" | "UNDETERMINED";
            /** @description Every reason behind the decision, the weightiest first. */
            issues: components["schemas"]["Issue"][];
            /** @description What was found about the document; absent in a step-up, which shows none. */
            document?: components["schemas"]["DocumentSection"];
            /** @description Whether a live person was there. */
            liveness: components["schemas"]["LivenessSection"];
            /** @description Whether it is the person of the document, or the enrolled one. */
            face_comparison: components["schemas"]["FaceComparisonSection"];
            /** @description What other customers of your account have in common with this one; absent where `fraud_policy` looks for nothing. */
            duplicates?: components["schemas"]["Duplicates"];
            /** @description Every signal that the device reported, and what the server saw of the connection. */
            metadata: components["schemas"]["Metadata"];
        };
        /** @description A reason behind the decision. Only REJECT decides anything. */
        Issue: {
            /**
             * @description `REJECT` decides; `WARN` and `INFO` never do.
             * @enum {string}
             */
            type: "REJECT" | "WARN" | "INFO";
            /** @description Stable: it never changes its meaning. New ones may come. */
            code: string;
            /** @description What was found, in English, for your support; its words may change, `code` does not. */
            message: string;
            /** @description The values that the rule used, such as `score`, `threshold` and `passes_when`. */
            details?: {
                [key: string]: string | number | string[];
            };
        };
        DocumentSection: {
            /** @description What the checks of the document come to. */
            status: components["schemas"]["SectionStatus"];
            /** @description What the document says. */
            data: components["schemas"]["DocumentData"];
        };
        /**
         * @description What a section comes to; `NOT_EXECUTED` where it did not apply.
         * @enum {string}
         */
        SectionStatus: "PASSED" | "REJECTED" | "UNDETERMINED" | "NOT_EXECUTED";
        Engine: {
            /** @description Which engine analysed it: the service’s own is `local`. */
            name: string;
            /** @description The engine’s version, in a form of its own. */
            version: string;
        };
        /** @description ISO 3166-1 alpha-2. */
        Country: string;
        /**
         * Format: date
         * @description A date, `YYYY-MM-DD`.
         */
        Day: string;
        Check: {
            /** @description The rule that was applied, by a name that stays. */
            name: string;
            /** @description What this check comes to. */
            status: components["schemas"]["CheckStatus"];
            /** @description What was measured, in the unit of its threshold; null where nothing was. */
            score: number | null;
            /** @description The limit that `score` is compared with, in the direction of `passes_when`; null where there is none. */
            threshold: number | null;
            /** @description Whether a score passes from its threshold upwards, or up to it; null where there is no threshold. */
            passes_when: components["schemas"]["PassesWhen"] | null;
        };
        /**
         * @description What a check comes to; `NOT_EXECUTED` where it did not apply, `NOT_PRINTED` where the document does not say what it is about.
         * @enum {string}
         */
        CheckStatus: "PASSED" | "REJECTED" | "UNDETERMINED" | "NOT_EXECUTED" | "NOT_PRINTED";
        /**
         * @description Whether a score passes from its threshold upwards, or up to it.
         * @enum {string}
         */
        PassesWhen: "at_least" | "at_most";
        ChipData: {
            /** @description `PASSED`: the state signed it, and nothing was changed. `NOT_EXECUTED`: no chip was read. */
            status: components["schemas"]["SectionStatus"];
            /** @description Each check of the chip. New ones may come. */
            checks: {
                /** @description What was checked: its files, their digests, who signed them, or whether it is a copy. */
                name: string;
                /** @description What it comes to. */
                status: components["schemas"]["SectionStatus"];
            }[];
            /** @description As the state wrote it on the chip; null where it did not, or the chip is not proven. */
            place_of_birth: string | null;
        };
        WalletData: {
            /** @description `PASSED`: its issuer is known and signed it, it is valid, and the wallet’s key answered. */
            status: components["schemas"]["SectionStatus"];
            /**
             * @description An mdoc (ISO/IEC 18013-5), or an SD-JWT VC.
             * @enum {string}
             */
            format: "MDOC" | "SD_JWT_VC";
            /** @description The doctype of an mdoc, or the `vct` of an SD-JWT VC. */
            credential_type: string;
            /** @description Each check of the wallet’s answer. New ones may come. */
            checks: {
                /** @description What was checked: signatures, issuer, validity, revocation. */
                name: string;
                /** @description What it comes to. */
                status: components["schemas"]["SectionStatus"];
            }[];
            /** @description What the person gave of what was asked. */
            disclosed: ("last_name" | "first_name" | "date_of_birth" | "sex" | "nationality" | "document_number" | "personal_number" | "issue_date" | "expiry_date" | "issuing_country" | "portrait")[];
            /** @description What was asked, and is not in the answer. */
            withheld: ("last_name" | "first_name" | "date_of_birth" | "sex" | "nationality" | "document_number" | "personal_number" | "issue_date" | "expiry_date" | "issuing_country" | "portrait")[];
        };
        DocumentData: {
            /** @description The analysis engine; null where none ran. */
            engine: components["schemas"]["Engine"] | null;
            /** @description What the data rests on: a proven chip, a wallet, the machine-readable zone, a barcode, print alone, or only expected data that is printed; null where nothing was read. */
            source: ("CHIP" | "WALLET" | "ZONE" | "BARCODE" | "PRINT" | "EXPECTED_DATA") | null;
            /** @description The sort of document; null where it was not read. */
            document_type: ("PASSPORT" | "ID_CARD" | "DRIVING_LICENSE" | "RESIDENCE_PERMIT") | null;
            /** @description The country that issued the document; null where it was not read. */
            issuing_country: components["schemas"]["Country"] | null;
            /** @description The holder’s nationality; null where it was not read, or the document has none. */
            nationality: components["schemas"]["Country"] | null;
            /** @description The document’s number, as it is printed; null where it was not read. */
            document_number: string | null;
            /** @description The holder’s number in their country, as it is printed; null where there is none. */
            personal_number: string | null;
            /** @description All given names; null where they are not known, or the person has one name. */
            first_name: string | null;
            /** @description The surname; null where it is not known, or the person has one name. */
            last_name: string | null;
            /** @description The day of birth, `YYYY-MM-DD`; null where it is not known, or in part. */
            date_of_birth: components["schemas"]["Day"] | null;
            /** @description The sex as the document prints it, `X` where it names neither; null where it says nothing. */
            sex: ("F" | "M" | "X") | null;
            /** @description The day of issue, `YYYY-MM-DD`; null where it is not on the document. */
            issue_date: components["schemas"]["Day"] | null;
            /** @description The last day on which the document is valid; null where it was not read, or there is none. */
            expiry_date: components["schemas"]["Day"] | null;
            /** @description The machine-readable zone; null where there is none. */
            mrz: {
                /**
                 * @description The zone’s format, as ICAO 9303 names it: `TD3` is a passport.
                 * @enum {string}
                 */
                format: "TD1" | "TD2" | "TD3" | "MRVA" | "MRVB" | "FRENCH_ID";
                /** @description Whether every check digit agrees. */
                valid: boolean;
                /** @description How many misread characters were corrected. */
                corrected_characters: number;
            } | null;
            /** @description Every rule that was applied, with what it measured. */
            checks: components["schemas"]["Check"][];
            /** @description The lines of print that were read, from the top, for a reviewer; absent where the document has a machine-readable zone or a barcode. */
            printed_lines?: string[];
            /** @description What the document’s chip proves; absent where the policy ignores chips. */
            chip?: components["schemas"]["ChipData"];
            /** @description What a wallet’s answer proves; absent where none answered. */
            wallet?: components["schemas"]["WalletData"];
        };
        Measured: {
            /** @description What was measured, in the unit of its threshold. */
            score: number;
            /** @description The limit that `score` is compared with, in the direction of `passes_when`. */
            threshold: number;
            /** @description Whether `score` passes from `threshold` upwards, or up to it. */
            passes_when: components["schemas"]["PassesWhen"];
        };
        LivenessData: {
            /** @description The analysis engine; null where none ran. */
            engine: components["schemas"]["Engine"] | null;
            /** @description How liveness was judged: `ACTIVE` by a challenge, `PASSIVE` by the image alone, `EXTERNAL` by another engine; null where it was not. */
            method: ("ACTIVE" | "PASSIVE" | "EXTERNAL") | null;
            /** @description The actions that were asked for, in their order; empty where there was no challenge. */
            challenge: {
                /**
                 * @description What the person was asked to do; left and right are their own.
                 * @enum {string}
                 */
                action: "TURN_LEFT" | "TURN_RIGHT" | "BLINK" | "OPEN_MOUTH" | "LOOK_UP";
                /** @description Whether the image shows the action; null where the image leaves it open. */
                passed: boolean | null;
            }[];
            /** @description How far the face is from a flat picture; null where it was not measured. */
            planarity: components["schemas"]["Measured"] | null;
            /** @description How far the selfie’s face is from those of the challenge’s images; null where it was not measured. */
            continuity: components["schemas"]["Measured"] | null;
            /** @description How sure a second method is of a live person; null where none was used. */
            presence: components["schemas"]["Measured"] | null;
            /** @description Every rule that was applied, with what it measured. */
            checks: components["schemas"]["Check"][];
            /** @description Challenges that were issued; null where none was. */
            attempts: number | null;
        };
        LivenessSection: {
            /** @description What the checks of liveness come to. */
            status: components["schemas"]["SectionStatus"];
            /** @description What the selfie and the challenge showed. */
            data: components["schemas"]["LivenessData"];
        };
        FaceComparisonData: {
            /** @description The analysis engine; null where none ran. */
            engine: components["schemas"]["Engine"] | null;
            /** @description What was measured, in the unit of its threshold; null where nothing was. */
            score: number | null;
            /** @description The limit that `score` is compared with, in the direction of `passes_when`; null where there is none. */
            threshold: number | null;
            /** @description Whether a score passes from its threshold upwards, or up to it; null where there is no threshold. */
            passes_when: components["schemas"]["PassesWhen"] | null;
            /** @description Whether the selfie was compared with the document’s printed portrait, with that of its chip or of a wallet, or with the enrolled face; null where it was not compared. */
            reference: ("DOCUMENT" | "DOCUMENT_CHIP" | "DOCUMENT_WALLET" | "ENROLLED_FACE") | null;
        };
        FaceComparisonSection: {
            /** @description What the comparison of the faces comes to. */
            status: components["schemas"]["SectionStatus"];
            /** @description How alike the faces are, and which ones were compared. */
            data: components["schemas"]["FaceComparisonData"];
        };
        Duplicates: {
            /** @description Who else used the document; null where none was read, or the policy is `IGNORE`. */
            document: {
                /** @description How many other customers; counted up to 1,000 transactions. */
                customers: number;
                /** @description The newest of their transactions, at most ten. */
                transaction_ids: components["schemas"]["Id"][];
                /** @description How many of your transactions showed this document within 24 hours, this one included. */
                transactions_24_hours: number;
                /** @description How many of your transactions showed this document within 30 days, this one included. */
                transactions_30_days: number;
            } | null;
            /** @description Who else used one of the pictures; null where the policy is `IGNORE`. */
            images: {
                /** @description How many other customers; counted up to 1,000 transactions. */
                customers: number;
                /** @description The newest of their transactions, at most ten. */
                transaction_ids: components["schemas"]["Id"][];
            } | null;
            /** @description Who else is enrolled with the face; null where none was searched, or the policy is `IGNORE`. */
            face: {
                /** @description How many other customers; counted up to 1,000 transactions. */
                customers: number;
                /** @description The newest of their transactions, at most ten. */
                transaction_ids: components["schemas"]["Id"][];
                /** @description How many faces of your account were searched. */
                faces_searched: number;
                /** @description Up to which distance a face was found: so chosen that among so many strangers less than one search in a thousand finds any. */
                limit: number;
                /** @description The distance of the nearest of these faces; null where there was none. */
                nearest: number | null;
            } | null;
        };
        Attestation: {
            /**
             * @description Whose attestation it is.
             * @enum {string}
             */
            platform: "android" | "ios";
            /**
             * @description Where its key is. `SOFTWARE`: in none, as on an emulator; it proves nothing.
             * @enum {string}
             */
            security_level: "SOFTWARE" | "TRUSTED_ENVIRONMENT" | "STRONG_BOX" | "SECURE_ENCLAVE";
            /** @description What its bootloader says of the system that it started: `VERIFIED`, the maker’s. Null of iOS, and of software. */
            boot_state: ("VERIFIED" | "SELF_SIGNED" | "UNVERIFIED" | "FAILED") | null;
            /** @description Whether only systems start that somebody signed. Null of iOS, and of software. */
            bootloader_locked: boolean | null;
            /** @description The version of its system; null where it is not attested. */
            os_version: string | null;
            /** @description The month of its security patches; null where it is not attested. */
            os_patch_level: string | null;
            /** @description The app, by package or `TEAM.bundle`; empty where it is not named. */
            apps: string[];
            /** @description Whether it is one of your account’s; null where your account names none. */
            is_own_app: boolean | null;
            /**
             * @description How many of the captures came with a signature by the attested key.
             * @enum {string}
             */
            signed_captures: "ALL" | "SOME" | "NONE";
        };
        /** @description What the device reported and the server saw, whatever the decision. */
        Metadata: {
            /** @description What the app or the page reports of the device. */
            device: {
                /** @description The platform that the app runs on, in its own words; null where it is unknown. */
                sdk_platform: string | null;
                /** @description The version of the app’s SDK, or of the capture page; null where it is unknown. */
                sdk_version: string | null;
                /** @description The version of the device’s system; null where it is unknown. */
                os_version: string | null;
                /** @description The device’s model, as its maker names it; null where it is unknown. */
                device_model: string | null;
                /** @description Whether it is an emulator or a simulator; null where it is unknown. */
                is_emulator: boolean | null;
                /** @description Whether it is rooted; null where it is unknown. */
                root_detected: boolean | null;
                /** @description Whether it is jailbroken; null where it is unknown. */
                jailbreak_detected: boolean | null;
                /** @description Whether developer mode is enabled; null where it is unknown. */
                developer_mode_enabled: boolean | null;
                /** @description Whether a debugger is attached; null where it is unknown. */
                debugger_attached: boolean | null;
                /** @description The name of the camera that took the selfie; null where it is unknown. */
                camera_label?: string;
                /** @description What the app or the page may set of it, in its platform’s words; null where that is nothing, or unknown. */
                camera_controls?: string;
                /** @description Whether a program shows its pictures as the camera; null where it is unknown. */
                is_virtual_camera?: boolean;
                /** @description The width of the camera’s pictures, in pixels; null where it is unknown. */
                camera_width?: number;
                /** @description Their height; null where it is unknown. */
                camera_height?: number;
                /** @description The frames that the camera promises in a second; null where it is unknown. */
                camera_frame_rate?: number;
                /** @description How many of its frames were looked at; null where none was. */
                camera_frames?: number;
                /** @description The median time between two frames; null where it is unknown. */
                camera_frame_interval_ms?: number;
                /** @description By how much the times differ from it, the median; null where it is unknown. */
                camera_frame_jitter_ms?: number;
                /** @description Frames that are their predecessor to the last pixel; null where it is unknown. */
                camera_repeated_frames?: number;
                /** @description The most of them in a row: 15 count as a virtual camera; null where it is unknown. */
                camera_longest_repeat?: number;
            };
            /** @description What is known of the connection. */
            network: {
                /** @description As the server saw it, never as the device says; null where no device has called. */
                ip_address: string | null;
                /** @description What the device says of its address, else `IPv4` or `IPv6`; null where it is unknown. */
                ip_type: string | null;
                /** @description The address’s country; null where it is unknown, as without an address database. */
                ip_country: components["schemas"]["Country"] | null;
                /** @description Whether the connection goes through a VPN; null where it is unknown. */
                vpn_detected: boolean | null;
                /** @description Whether the connection goes through a proxy; null where it is unknown. */
                proxy_detected: boolean | null;
                /** @description Whether the connection comes from Tor; null where it is unknown. */
                tor_detected: boolean | null;
                /** @description How the device is connected, such as `wifi` or `cellular`; null where it is unknown. */
                connection_type: string | null;
                /** @description The name of the mobile carrier; null where there is none, or it is unknown. */
                carrier_name: string | null;
            };
            /** @description Where the device is; null where it was not requested or denied: an issue says which. */
            geolocation: {
                /** @description Degrees north of the equator, negative to the south; null where it is unknown. */
                latitude: number | null;
                /** @description Degrees east of Greenwich, negative to the west; null where it is unknown. */
                longitude: number | null;
                /** @description What the device found its place by, such as `gps`; null where it is unknown. */
                source: string | null;
                /** @description Whether the location is simulated; null where it is unknown. */
                is_mock_location: boolean | null;
                /** @description The country of the coordinates; null at sea, and where they are unknown. */
                country_from_coords: components["schemas"]["Country"] | null;
            } | null;
            /** @description What the device’s maker has signed of it. Absent where nothing was attested. */
            attestation?: components["schemas"]["Attestation"];
        };
        /** @description The result of an `AGE` transaction that is `FINISHED`: an age, and nothing else of the person. */
        AgeResult: {
            /**
             * @description `APPROVED`: over the age. `REJECTED`: an issue says why not. `UNDETERMINED`: it is not proven.
             * @enum {string}
             */
            decision: "APPROVED" | "REJECTED" | "UNDETERMINED";
            /** @description Every reason behind the decision, the weightiest first. */
            issues: components["schemas"]["Issue"][];
            /** @description The age that was asked, whether it is reached, and what that rests on. */
            age: components["schemas"]["AgeData"];
        };
        AgeData: {
            /** @description The age that was asked. */
            over: number;
            /** @description Whether the person has reached it; null where neither is proven. */
            is_over: boolean | null;
            /** @description What the answer rests on; null where nothing was read. */
            source: ("CHIP" | "WALLET" | "ZONE" | "BARCODE" | "PRINT" | "EXPECTED_DATA") | null;
        };
        /** @description The result of a transaction that is `FAILED`. */
        FailedResult: {
            /**
             * @description Always `UNDETERMINED`: the transaction ended before anything was decided.
             * @constant
             */
            decision: "UNDETERMINED";
            /** @description Every reason behind the decision, the weightiest first. */
            issues: components["schemas"]["Issue"][];
            /** @description Every signal that the device reported, and what the server saw of the connection. */
            metadata: components["schemas"]["FailedMetadata"];
        };
        /** @description The same of a transaction that failed. */
        FailedMetadata: {
            /** @description What the app or the page reports of the device. */
            device: {
                /** @description The platform that the app runs on, in its own words; null where it is unknown. */
                sdk_platform: string | null;
                /** @description The version of the app’s SDK, or of the capture page; null where it is unknown. */
                sdk_version: string | null;
                /** @description The version of the device’s system; null where it is unknown. */
                os_version: string | null;
                /** @description The device’s model, as its maker names it; null where it is unknown. */
                device_model: string | null;
                /** @description Whether it is an emulator or a simulator; null where it is unknown. */
                is_emulator: boolean | null;
                /** @description Whether it is rooted; null where it is unknown. */
                root_detected: boolean | null;
                /** @description Whether it is jailbroken; null where it is unknown. */
                jailbreak_detected: boolean | null;
                /** @description Whether developer mode is enabled; null where it is unknown. */
                developer_mode_enabled: boolean | null;
                /** @description Whether a debugger is attached; null where it is unknown. */
                debugger_attached: boolean | null;
                /** @description The name of the camera that took the selfie; null where it is unknown. */
                camera_label?: string;
                /** @description What the app or the page may set of it, in its platform’s words; null where that is nothing, or unknown. */
                camera_controls?: string;
                /** @description Whether a program shows its pictures as the camera; null where it is unknown. */
                is_virtual_camera?: boolean;
                /** @description The width of the camera’s pictures, in pixels; null where it is unknown. */
                camera_width?: number;
                /** @description Their height; null where it is unknown. */
                camera_height?: number;
                /** @description The frames that the camera promises in a second; null where it is unknown. */
                camera_frame_rate?: number;
                /** @description How many of its frames were looked at; null where none was. */
                camera_frames?: number;
                /** @description The median time between two frames; null where it is unknown. */
                camera_frame_interval_ms?: number;
                /** @description By how much the times differ from it, the median; null where it is unknown. */
                camera_frame_jitter_ms?: number;
                /** @description Frames that are their predecessor to the last pixel; null where it is unknown. */
                camera_repeated_frames?: number;
                /** @description The most of them in a row: 15 count as a virtual camera; null where it is unknown. */
                camera_longest_repeat?: number;
            };
            /** @description What is known of the connection. */
            network: {
                /** @description As the server saw it, never as the device says; null where no device has called. */
                ip_address: string | null;
                /** @description What the device says of its address, else `IPv4` or `IPv6`; null where it is unknown. */
                ip_type: string | null;
                /** @description The address’s country; null where it is unknown, as without an address database. */
                ip_country: components["schemas"]["Country"] | null;
                /** @description Whether the connection goes through a VPN; null where it is unknown. */
                vpn_detected: boolean | null;
                /** @description Whether the connection goes through a proxy; null where it is unknown. */
                proxy_detected: boolean | null;
                /** @description Whether the connection comes from Tor; null where it is unknown. */
                tor_detected: boolean | null;
                /** @description How the device is connected, such as `wifi` or `cellular`; null where it is unknown. */
                connection_type: string | null;
                /** @description The name of the mobile carrier; null where there is none, or it is unknown. */
                carrier_name: string | null;
            };
            /** @description Where the device is; null where it was not requested or denied: an issue says which. Absent where the session never began. */
            geolocation?: {
                /** @description Degrees north of the equator, negative to the south; null where it is unknown. */
                latitude: number | null;
                /** @description Degrees east of Greenwich, negative to the west; null where it is unknown. */
                longitude: number | null;
                /** @description What the device found its place by, such as `gps`; null where it is unknown. */
                source: string | null;
                /** @description Whether the location is simulated; null where it is unknown. */
                is_mock_location: boolean | null;
                /** @description The country of the coordinates; null at sea, and where they are unknown. */
                country_from_coords: components["schemas"]["Country"] | null;
            } | null;
            /** @description What the device’s maker has signed of it. Absent where nothing was attested. */
            attestation?: components["schemas"]["Attestation"];
        };
        TimelineEvent: {
            /** @description The place in the order of this transaction’s events, from 1. */
            sequence: number;
            /** @description When it happened, by the account’s clock. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description What happened, by the name that the transaction’s state chart has for it. */
            event: string;
            /**
             * @description Who made it happen: the device, your backend, the operator, or the service itself.
             * @enum {string}
             */
            sent_by: "device" | "integrator" | "operator" | "timer" | "job" | "erasure";
            /** @description The transaction’s status after it. */
            status: components["schemas"]["TransactionStatus"];
        };
        Capture: {
            /** @description Identifies the image in other calls. */
            id: components["schemas"]["Id"];
            /**
             * @description What the image shows; `liveness` is an image of the challenge. `document_chip` is no image but the files of a chip, in base64, and `document_wallet` what a wallet answered.
             * @enum {string}
             */
            kind: "document_front" | "document_back" | "selfie" | "liveness" | "document_wallet" | "document_chip";
            /** @description The image’s type, found by its content, not by what the device said. */
            media_type: string;
            /** @description The image’s size in bytes, as it was uploaded. */
            byte_count: number;
            /** @description When the service stored it. */
            created_at: components["schemas"]["Timestamp"];
        };
        /** @description A JWS in flattened JSON (RFC 7515 §7.2.2), by a key of the JWKS. */
        SignedEvidence: {
            /** @description The evidence: JSON in base64url. */
            payload: string;
            /** @description The header that is signed with it, in base64url: `alg` and the `kid` of the key. */
            protected: string;
            /** @description The signature of header and payload (RFC 7515 §5.1), in base64url. */
            signature: string;
        };
        ListedDelivery: {
            /** @description One status on its way to one receiver; the same on every attempt. */
            delivery_id: components["schemas"]["Id"];
            /** @description Identifies the change of the status, the same on every attempt: repetitions are known by it. */
            event_id: components["schemas"]["Id"];
            /** @description The place in the order of this transaction’s deliveries, from 1. */
            sequence: number;
            /** @description The status that it notifies of. */
            status: components["schemas"]["TransactionStatus"];
            /**
             * @description How far the delivery is: `DELIVERED`, `EXHAUSTED` and `GONE` are final until it is repeated.
             * @enum {string}
             */
            state: "PENDING" | "ATTEMPTING" | "BACKING_OFF" | "DELAYED" | "DELIVERED" | "EXHAUSTED" | "GONE";
            /** @description When it happened, by the account’s clock. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description The verification, by the id that Create transaction returned. */
            transaction_id: components["schemas"]["Id"];
        };
        Delivery: {
            /** @description One status on its way to one receiver; the same on every attempt. */
            delivery_id: components["schemas"]["Id"];
            /** @description Identifies the change of the status, the same on every attempt: repetitions are known by it. */
            event_id: components["schemas"]["Id"];
            /** @description The place in the order of this transaction’s deliveries, from 1. */
            sequence: number;
            /** @description The status that it notifies of. */
            status: components["schemas"]["TransactionStatus"];
            /**
             * @description How far the delivery is: `DELIVERED`, `EXHAUSTED` and `GONE` are final until it is repeated.
             * @enum {string}
             */
            state: "PENDING" | "ATTEMPTING" | "BACKING_OFF" | "DELAYED" | "DELIVERED" | "EXHAUSTED" | "GONE";
            /** @description When it happened, by the account’s clock. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description When it is tried next; null where an attempt is under way, or none is planned. */
            next_attempt_at: components["schemas"]["Timestamp"] | null;
            /** @description Scheme, host and port of the receiver. */
            origin: string;
            /** @description Since when deliveries to this origin wait, because all recent attempts failed; null where they don’t. */
            origin_paused_at: components["schemas"]["Timestamp"] | null;
            /** @description Every attempt, the latest last. */
            attempts: components["schemas"]["DeliveryAttempt"][];
        };
        DeliveryAttempt: {
            /** @description Which attempt it was, from 1, and from 1 again after a redelivery. */
            attempt: number;
            /** @description When the call was begun. */
            started_at: components["schemas"]["Timestamp"];
            /** @description How long the call took, in milliseconds. */
            duration_ms: number;
            /**
             * @description `delivered` by a 2xx; `gone` by a 410, after which nothing more is sent; else `failed`.
             * @enum {string}
             */
            outcome: "delivered" | "failed" | "gone";
            /** @description What the receiver answered; null where it did not. */
            http_status: number | null;
            /** @description The IP address that was dialled; null where no connection was tried. */
            address: string | null;
            /** @description Why it failed; null where it did not. */
            error: string | null;
            /** @description The first bytes that your receiver answered, at most 1 KiB; null where there was no answer. */
            answer: string | null;
        };
        Session: {
            /** @description The verification, by the id that Create transaction returned. */
            transaction_id: components["schemas"]["Id"];
            /** @description Where the transaction is in its life; `FINISHED`, `FAILED` and `EXPIRED` are final. */
            status: components["schemas"]["TransactionStatus"];
            /** @description `DOCUMENT_AND_BIOMETRIC` is a full onboarding, `BIOMETRIC_ONLY` a step-up, `AGE` an age without a name. */
            transaction_type: components["schemas"]["TransactionType"];
            /** @description What the person chose to show; null before the start, and where nothing was chosen. */
            document_type: ("PASSPORT" | "ID_CARD" | "DRIVING_LICENSE" | "RESIDENCE_PERMIT") | null;
            /** @description Every step of this transaction’s type. */
            steps: {
                /**
                 * @description What the person shows: a side of the document, their face, or movements; `document_chip` where an app is to read a chip, `document_wallet` where a wallet may answer.
                 * @enum {string}
                 */
                step: "document_front" | "document_back" | "selfie" | "liveness" | "document_wallet" | "document_chip";
                /** @description Whether the capture can’t end without it. */
                required: boolean;
                /**
                 * @description `captured` once there is a usable picture; `missing` before, and after it was dropped. `unavailable`: the device says that it can read no chip.
                 * @enum {string}
                 */
                state: "missing" | "captured" | "unavailable";
                /** @description Takes that are left, retakes included. */
                attempts_left: number;
            }[];
            /** @description The document’s chip; null where this transaction reads none. */
            chip: components["schemas"]["ChipProgress"] | null;
            /** @description The wallet; null where this transaction asks for none. */
            wallet: components["schemas"]["WalletProgress"] | null;
            /** @description Whether the face is searched among those of your other customers: the person must agree to that, too. */
            face_search: boolean;
            /** @description Whether another device goes on, or may. */
            handoff: components["schemas"]["Handoff"];
            /** @description The next required step that is missing; null where none is. */
            next_step: components["schemas"]["Step"] | null;
            /** @description What the analysis says of pictures that are there now, also what came too late for the answer of an upload. Empty where it says nothing. */
            advice: components["schemas"]["StepAdvice"][];
            /** @description Steps whose picture is still being analysed: `advice` may have more, and `version` then changes. */
            pending: components["schemas"]["Step"][];
            /** @description The person’s language as a BCP 47 tag, as the integrator named it; null where it did not. */
            locale: string | null;
            /** @description Whether `on_gps_ip_location_mismatch` is `REJECT`: ask the person for the location. */
            asks_location: boolean;
            /** @description Where the capture page sends the person at the end, with `transaction_id` in the query; null for nowhere. */
            redirect_url: string | null;
            /** @description What a submitted transaction waits for, other than its analysis. `review`: a person looks at it, which may take days. `resubmission`: some steps are missing again, as they could not be judged; take them, and complete again. Null else. */
            waiting_for: ("review" | "resubmission") | null;
            /** @description False where another device has taken the capture over: this one can only read. */
            may_capture: boolean;
            /** @description Changes whenever the session does; for `seen`. */
            version: number;
            /** @description When the transaction expires, and its tokens with it. */
            expires_at: components["schemas"]["Timestamp"];
            /** @description Now, by the server’s clock: a countdown needs no right clock on the device. */
            server_time: components["schemas"]["Timestamp"];
            /** @description What images may be, by their content. */
            accepted_media_types: string[];
            /** @description The largest image that is accepted, in bytes. */
            max_image_bytes: number;
            /** @description The largest image that is accepted, in millions of pixels. */
            max_image_megapixels: number;
        };
        ChipProgress: {
            /**
             * @description What the chip is to the decision.
             * @enum {string}
             */
            policy: "PREFER" | "REQUIRE";
            /**
             * @description `captured` once it was read, `unavailable` once the device said why not.
             * @enum {string}
             */
            state: "missing" | "captured" | "unavailable";
            /** @description Why the device reads no chip; null where it has not said so. */
            unavailable: ("NO_NFC" | "NFC_OFF" | "NO_CHIP" | "NOT_PERMITTED" | "READ_FAILED") | null;
            /** @description Takes that are left, retakes included. */
            attempts_left: number;
            /** @description A link that opens an app which reads chips; null for none. */
            app_link: string | null;
        };
        WalletProgress: {
            /**
             * @description Whether a wallet may answer beside photographs, or alone.
             * @enum {string}
             */
            policy: "OFFER" | "REQUIRE";
            /**
             * @description `requested` while a request is open, `captured` once a wallet has answered it.
             * @enum {string}
             */
            state: "missing" | "requested" | "captured";
            /** @description The open request; null without one. */
            request_id: components["schemas"]["Id"] | null;
            /** @description Until when the open request takes an answer; null without one. */
            expires_at: components["schemas"]["Timestamp"] | null;
            /** @description Requests that may still be made. */
            attempts_left: number;
        };
        Handoff: {
            /**
             * @description `offered`: a code is open. `taken`: another device captures.
             * @enum {string}
             */
            state: "none" | "offered" | "taken";
            /** @description When the open code expires; null without one. */
            expires_at: components["schemas"]["Timestamp"] | null;
        };
        /**
         * @description What a person shows: a side of the document, a wallet in its place, their face, or movements.
         * @enum {string}
         */
        Step: "document_front" | "document_back" | "selfie" | "liveness" | "document_wallet";
        StepAdvice: {
            /** @description The step whose picture it is about. */
            step: components["schemas"]["Step"];
            /** @description Advice for the person, as an upload’s answer has it. New codes may come. */
            warnings: string[];
            /** @description As an upload’s answer has them. New codes may come. */
            reasons: string[];
        };
        CaptureResponse: {
            /**
             * @description The image is stored, and the step is captured: always true, as anything else is an error.
             * @constant
             */
            accepted: true;
            /** @description Advice for the person, who can retake at once. New codes may come. */
            warnings: string[];
            /** @description Why a selfie can’t be compared, or what is shown instead of a document that is accepted, where `warnings` say so; else empty. New codes may come. */
            reasons: string[];
            /** @description True where the image is still being analysed: `advice` of the session has it once `version` changes. */
            pending: boolean;
            /** @description The next required step that is missing; null where none is. */
            next_step: components["schemas"]["Step"] | null;
            /** @description Takes that are left, retakes included. */
            attempts_left: number;
        };
        Challenge: {
            /** @description Names the challenge in the paths that its images are uploaded to. */
            challenge_id: components["schemas"]["Id"];
            /** @description Both turns, towards the person’s own left and right, and others drawn at random. One image answers each, by its index from 0. */
            actions: ("TURN_LEFT" | "TURN_RIGHT" | "BLINK" | "OPEN_MOUTH" | "LOOK_UP")[];
            /** @description Until when images answer it. */
            expires_at: components["schemas"]["Timestamp"];
            /** @description Now, by the server’s clock: a countdown needs no right clock on the device. */
            server_time: components["schemas"]["Timestamp"];
            /** @description Challenges that may be asked for after this one. */
            attempts_left: number;
        };
        ListenedAttempt: {
            /** @description One status on its way to one receiver; the same on every attempt. */
            delivery_id: components["schemas"]["Id"];
            /** @description Identifies the attempt; send it with the report. */
            lease: string;
            /** @description The request’s headers, with their signature. */
            headers: {
                [key: string]: string;
            };
            /** @description The request’s body, to be sent to your receiver byte by byte. */
            body: string;
        };
        ChipChallenge: {
            /** @description Names the challenge in `active_authentication`. */
            challenge_id: components["schemas"]["Id"];
            /** @description Eight random bytes in base64, for the chip to sign. */
            challenge: string;
            /** @description Until when an answer is taken. */
            expires_at: components["schemas"]["Timestamp"];
            /** @description Now, by the server’s clock: a countdown needs no right clock on the device. */
            server_time: components["schemas"]["Timestamp"];
        };
        ChipResponse: {
            /**
             * @description What was read is stored: always true, as anything else is an error.
             * @constant
             */
            accepted: true;
            /** @description Files that are not those that the state signed: read the chip again. Empty where all are. */
            changed_files: ("dg1" | "dg2" | "dg6" | "dg11" | "dg12" | "dg13" | "dg14" | "dg15")[];
            /** @description Reads that are left. */
            attempts_left: number;
        };
        WalletRequest: {
            /** @description Names the request in the path of its answer. */
            request_id: components["schemas"]["Id"];
            /** @description For `navigator.credentials.get({ digital: { requests } })`, as they are. */
            requests: {
                /**
                 * @description How the wallet is asked.
                 * @enum {string}
                 */
                protocol: "openid4vp-v1-unsigned" | "openid4vp-v1-signed" | "org-iso-mdoc";
                /** @description What it is asked, as the protocol has it. */
                data: {
                    [key: string]: unknown;
                };
            }[];
            /** @description Opens a wallet on this device; as a QR code, one on another device. */
            link: string;
            /** @description Until when an answer is taken. */
            expires_at: components["schemas"]["Timestamp"];
            /** @description Now, by the server’s clock: a countdown needs no right clock on the device. */
            server_time: components["schemas"]["Timestamp"];
            /** @description Requests that may still be made. */
            attempts_left: number;
        };
        WalletReceipt: {
            /**
             * @description The answer is stored, and the request used up: always true, as anything else is an error.
             * @constant
             */
            accepted: true;
            /** @description The next required step that is missing; null where none is. */
            next_step: components["schemas"]["Step"] | null;
            /** @description Requests that may still be made. */
            attempts_left: number;
        };
        Duplicate: {
            /** @description What both have in common. New kinds may come. */
            kind: string;
            /** @description The transaction of the customer whose list it is. */
            transaction_id: components["schemas"]["Id"];
            /** @description Who else, of your account, has it. */
            other_customer_id: components["schemas"]["Id"];
            /** @description Where the other customer has it. */
            other_transaction_id: components["schemas"]["Id"];
            /** @description When the service stored it. */
            found_at: components["schemas"]["Timestamp"];
        };
        OfferedHandoff: {
            /** @description For one use, for ten minutes; the link has it too. */
            code: string;
            /** @description The capture page, the code in its fragment: a link for the other device. */
            verify_url: string;
            /** @description When the code ends. */
            expires_at: components["schemas"]["Timestamp"];
            /** @description Whether the operator has the link sent by e-mail and SMS. */
            may_send: boolean;
        };
        ClaimedHandoff: {
            /** @description A new token, for this device: the first one may only read from now on. */
            sdk_token: string;
            /** @description The verification, by the id that Create transaction returned. */
            transaction_id: components["schemas"]["Id"];
            /** @description When the transaction expires, and this token with it. */
            expires_at: components["schemas"]["Timestamp"];
        };
        AttestationChallenge: {
            /** @description Names the challenge, and the key that is attested for it. */
            challenge_id: components["schemas"]["Id"];
            /** @description 32 random bytes in base64: Android’s attestation challenge, or what App Attest’s `clientDataHash` is the SHA-256 of. */
            challenge: string;
            /** @description Until when an answer is taken. */
            expires_at: components["schemas"]["Timestamp"];
            /** @description Now, by the server’s clock: a countdown needs no right clock on the device. */
            server_time: components["schemas"]["Timestamp"];
            /** @description Challenges that may be asked for after this one. */
            attempts_left: number;
        };
        AttestationResponse: {
            /**
             * @description The device is attested: always true, as anything else is an error.
             * @constant
             */
            accepted: true;
            /** @description Whether the key can sign captures: Android’s must be of P-256, with the purpose to sign. */
            signs_captures: boolean;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Id = components['schemas']['Id'];
export type Notification = components['schemas']['Notification'];
export type Timestamp = components['schemas']['Timestamp'];
export type Error = components['schemas']['Error'];
export type ListedChart = components['schemas']['ListedChart'];
export type Chart = components['schemas']['Chart'];
export type AccessToken = components['schemas']['AccessToken'];
export type OAuthError = components['schemas']['OAuthError'];
export type RegisteredCustomer = components['schemas']['RegisteredCustomer'];
export type Customer = components['schemas']['Customer'];
export type ErasureReceipt = components['schemas']['ErasureReceipt'];
export type OpenedTransaction = components['schemas']['OpenedTransaction'];
export type ListedTransaction = components['schemas']['ListedTransaction'];
export type TransactionType = components['schemas']['TransactionType'];
export type TransactionStatus = components['schemas']['TransactionStatus'];
export type Transaction = components['schemas']['Transaction'];
export type Result = components['schemas']['Result'];
export type Issue = components['schemas']['Issue'];
export type DocumentSection = components['schemas']['DocumentSection'];
export type SectionStatus = components['schemas']['SectionStatus'];
export type Engine = components['schemas']['Engine'];
export type Country = components['schemas']['Country'];
export type Day = components['schemas']['Day'];
export type Check = components['schemas']['Check'];
export type CheckStatus = components['schemas']['CheckStatus'];
export type PassesWhen = components['schemas']['PassesWhen'];
export type ChipData = components['schemas']['ChipData'];
export type WalletData = components['schemas']['WalletData'];
export type DocumentData = components['schemas']['DocumentData'];
export type Measured = components['schemas']['Measured'];
export type LivenessData = components['schemas']['LivenessData'];
export type LivenessSection = components['schemas']['LivenessSection'];
export type FaceComparisonData = components['schemas']['FaceComparisonData'];
export type FaceComparisonSection = components['schemas']['FaceComparisonSection'];
export type Duplicates = components['schemas']['Duplicates'];
export type Attestation = components['schemas']['Attestation'];
export type Metadata = components['schemas']['Metadata'];
export type AgeResult = components['schemas']['AgeResult'];
export type AgeData = components['schemas']['AgeData'];
export type FailedResult = components['schemas']['FailedResult'];
export type FailedMetadata = components['schemas']['FailedMetadata'];
export type TimelineEvent = components['schemas']['TimelineEvent'];
export type Capture = components['schemas']['Capture'];
export type SignedEvidence = components['schemas']['SignedEvidence'];
export type ListedDelivery = components['schemas']['ListedDelivery'];
export type Delivery = components['schemas']['Delivery'];
export type DeliveryAttempt = components['schemas']['DeliveryAttempt'];
export type Session = components['schemas']['Session'];
export type ChipProgress = components['schemas']['ChipProgress'];
export type WalletProgress = components['schemas']['WalletProgress'];
export type Handoff = components['schemas']['Handoff'];
export type Step = components['schemas']['Step'];
export type StepAdvice = components['schemas']['StepAdvice'];
export type CaptureResponse = components['schemas']['CaptureResponse'];
export type Challenge = components['schemas']['Challenge'];
export type ListenedAttempt = components['schemas']['ListenedAttempt'];
export type ChipChallenge = components['schemas']['ChipChallenge'];
export type ChipResponse = components['schemas']['ChipResponse'];
export type WalletRequest = components['schemas']['WalletRequest'];
export type WalletReceipt = components['schemas']['WalletReceipt'];
export type Duplicate = components['schemas']['Duplicate'];
export type OfferedHandoff = components['schemas']['OfferedHandoff'];
export type ClaimedHandoff = components['schemas']['ClaimedHandoff'];
export type AttestationChallenge = components['schemas']['AttestationChallenge'];
export type AttestationResponse = components['schemas']['AttestationResponse'];
export type $defs = Record<string, never>;
export interface operations {
    listCustomers: {
        parameters: {
            query?: {
                /** @description Your own id of the person, as you registered it; upper and lower case differ. */
                external_customer_id?: string;
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description The `next_cursor` of the page before. Valid for this list only, with the same parameters. */
                cursor?: string;
                /** @description Only what was created at this time or later. */
                created_from?: string;
                /** @description Only what was created before this time. */
                created_to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The customer, or a page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Customer"] | {
                        /** @description The entries of this page; an empty list where nothing fits. */
                        data: components["schemas"]["Customer"][];
                        /** @description Where the next page begins; null at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createCustomer: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your own for this request, 1 to 255 visible ASCII characters. For 24 hours a repetition with the same key and body gets the first response, and does nothing. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Your own id of the person, unique in your account; upper and lower case differ, ways in which Unicode composes a letter do not. */
                    external_customer_id: string;
                    /** @description The person’s e-mail address, in which letter case makes no difference; null where there is none. */
                    email?: string | null;
                    /** @description The person’s telephone number: `+`, a country code that exists, and 7 to 15 digits in all; null where there is none. */
                    phone_number?: string | null;
                };
            };
        };
        responses: {
            /** @description The same data were registered already. */
            200: {
                headers: {
                    /** @description The URL of what was created. */
                    Location: string;
                    /** @description `true` where the first response is replayed. */
                    "Idempotent-Replayed"?: string;
                    /** @description Members that mean nothing here. */
                    "X-Ignored-Fields"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisteredCustomer"];
                };
            };
            /** @description Registered. */
            201: {
                headers: {
                    /** @description The URL of what was created. */
                    Location: string;
                    /** @description `true` where the first response is replayed. */
                    "Idempotent-Replayed"?: string;
                    /** @description Members that mean nothing here. */
                    "X-Ignored-Fields"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisteredCustomer"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getCustomer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The person, by the id that Create customer returned. */
                customer_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The customer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Customer"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    eraseCustomer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The person, by the id that Create customer returned. */
                customer_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Erased. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasureReceipt"];
                };
            };
            /** @description Gone for every call; the rest is erased meanwhile. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasureReceipt"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeCustomer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The person, by the id that Create customer returned. */
                customer_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The person’s e-mail address, in which letter case makes no difference; null where there is none. */
                    email?: string | null;
                    /** @description The person’s telephone number: `+`, a country code that exists, and 7 to 15 digits in all; null where there is none. */
                    phone_number?: string | null;
                };
            };
        };
        responses: {
            /** @description The customer as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Customer"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTransactions: {
        parameters: {
            query?: {
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description The `next_cursor` of the page before. Valid for this list only, with the same parameters. */
                cursor?: string;
                /** @description Of CREATED, INITIATED, COMPLETED, PROCESSING, FINISHED, FAILED, EXPIRED; several by commas, or given again. */
                status?: string | string[];
                /** @description `DOCUMENT_AND_BIOMETRIC` is a full onboarding, `BIOMETRIC_ONLY` a step-up, `AGE` an age without a name. */
                transaction_type?: "DOCUMENT_AND_BIOMETRIC" | "BIOMETRIC_ONLY" | "AGE";
                /** @description Of APPROVED, REJECTED, UNDETERMINED; several by commas, or given again. */
                decision?: string | string[];
                /** @description The person who is verified, by the id that Create customer returned. */
                customer_id?: string;
                /** @description Your own id of the transaction, as you gave it. */
                reference?: string;
                /** @description Only what was created at this time or later. */
                created_from?: string;
                /** @description Only what was created before this time. */
                created_to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page; an empty list where nothing fits. */
                        data: components["schemas"]["ListedTransaction"][];
                        /** @description Where the next page begins; null at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createTransaction: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your own for this request, 1 to 255 visible ASCII characters. For 24 hours a repetition with the same key and body gets the first response, and does nothing. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The person who is verified, by the id that Create customer returned.
                     */
                    customer_id: string;
                    /**
                     * @description `DOCUMENT_AND_BIOMETRIC` is a full onboarding, `BIOMETRIC_ONLY` a step-up, `AGE` an age without a name.
                     * @enum {string}
                     */
                    transaction_type: "DOCUMENT_AND_BIOMETRIC" | "BIOMETRIC_ONLY" | "AGE";
                    /** @description How this transaction is run; every member may be left out. */
                    config?: {
                        /** @description Where changes of the status are sent to; absent or null: nowhere. */
                        webhook?: {
                            /**
                             * Format: uri
                             * @description The URL of your receiver: https, at most 2,048 characters, and no private address unless the operator allows its host.
                             */
                            url: string;
                            /**
                             * @description The statuses that you want to be notified of.
                             * @default [
                             *       "INITIATED",
                             *       "COMPLETED",
                             *       "PROCESSING",
                             *       "FINISHED",
                             *       "FAILED",
                             *       "EXPIRED"
                             *     ]
                             */
                            events?: ("INITIATED" | "COMPLETED" | "PROCESSING" | "FINISHED" | "FAILED" | "EXPIRED")[] | null;
                        } | null;
                        /**
                         * @description Lifetime of the transaction and of its `sdk_token`, in minutes. The operator sets the default by `TRANSACTION_TTL_MINUTES`.
                         * @default 60
                         */
                        transaction_ttl_minutes?: number | null;
                        /** @description What each signal of a device does to the decision. */
                        device_policy?: {
                            /**
                             * @description What a rooted or jailbroken device, or an attached debugger does: `REJECT` rejects, `WARN` adds an issue that decides nothing, `IGNORE` is silent.
                             * @default REJECT
                             * @enum {string}
                             */
                            on_compromised_device?: "REJECT" | "WARN" | "IGNORE";
                            /**
                             * @description What developer mode does: `REJECT` rejects, `WARN` adds an issue that decides nothing, `IGNORE` is silent.
                             * @default WARN
                             * @enum {string}
                             */
                            on_developer_mode?: "REJECT" | "WARN" | "IGNORE";
                            /**
                             * @description What an emulator or a simulator does: `REJECT` rejects, `WARN` adds an issue that decides nothing, `IGNORE` is silent.
                             * @default REJECT
                             * @enum {string}
                             */
                            on_emulator?: "REJECT" | "WARN" | "IGNORE";
                            /**
                             * @description What a virtual camera does: `REJECT` rejects, `WARN` adds an issue that decides nothing, `IGNORE` is silent. Absent: `WARN` where the device reports such a camera, and silent where it reports none.
                             * @enum {string}
                             */
                            on_virtual_camera?: "REJECT" | "WARN" | "IGNORE";
                            /**
                             * @description What a device that no hardware of its own attests does: `REJECT` rejects, `WARN` adds an issue that decides nothing, `IGNORE` is silent.
                             * @default IGNORE
                             * @enum {string}
                             */
                            on_unattested_device?: "REJECT" | "WARN" | "IGNORE";
                            /**
                             * @description What an attested device whose bootloader is unlocked does: `REJECT` rejects, `WARN` adds an issue that decides nothing, `IGNORE` is silent.
                             * @default IGNORE
                             * @enum {string}
                             */
                            on_unlocked_bootloader?: "REJECT" | "WARN" | "IGNORE";
                            /**
                             * @description What an attested app that is none of your account’s does: `REJECT` rejects, `WARN` adds an issue that decides nothing, `IGNORE` is silent.
                             * @default IGNORE
                             * @enum {string}
                             */
                            on_other_app?: "REJECT" | "WARN" | "IGNORE";
                            /**
                             * @description What a VPN, a proxy or Tor does: `REJECT` rejects, `WARN` adds an issue that decides nothing, `IGNORE` is silent.
                             * @default WARN
                             * @enum {string}
                             */
                            on_vpn_or_proxy?: "REJECT" | "WARN" | "IGNORE";
                            /**
                             * @description What a simulated location does: `REJECT` rejects, `WARN` adds an issue that decides nothing, `IGNORE` is silent.
                             * @default REJECT
                             * @enum {string}
                             */
                            on_gps_mock_location?: "REJECT" | "WARN" | "IGNORE";
                            /**
                             * @description What a location in another country than the IP address does: `REJECT` rejects, `WARN` adds an issue that decides nothing, `IGNORE` is silent.
                             * @default WARN
                             * @enum {string}
                             */
                            on_gps_ip_location_mismatch?: "REJECT" | "WARN" | "IGNORE";
                        } | null;
                        /** @description What it does to the decision that another customer of your account shares something. What it does not say is as the operator has set it for your account. */
                        fraud_policy?: {
                            /**
                             * @description What a document that another customer of your account has used does: `REJECT` rejects, `WARN` adds an issue that decides nothing, `IGNORE` looks for none.
                             * @default IGNORE
                             * @enum {string}
                             */
                            on_document_of_another_customer?: "REJECT" | "WARN" | "IGNORE";
                            /**
                             * @description What a picture that is in a transaction of another customer of your account does: `REJECT` rejects, `WARN` adds an issue that decides nothing, `IGNORE` looks for none.
                             * @default IGNORE
                             * @enum {string}
                             */
                            on_image_of_another_transaction?: "REJECT" | "WARN" | "IGNORE";
                            /**
                             * @description What a face that another customer of your account is enrolled with does: `REJECT` rejects, `WARN` adds an issue that decides nothing, `IGNORE` looks for none.
                             * @default IGNORE
                             * @enum {string}
                             */
                            on_face_of_another_customer?: "REJECT" | "WARN" | "IGNORE";
                        } | null;
                        /** @description Your own id of the transaction, by which you can list it; null for none. It need not be unique. */
                        reference?: string | null;
                        /** @description The person’s language as a BCP 47 tag, for the capture page and your app; null: the browser’s. */
                        locale?: string | null;
                        /** @description Where the capture page sends the person at the end, with `transaction_id` in the query; null for nowhere. */
                        redirect_url?: string | null;
                        /** @description What is asked of the document beside its pictures. */
                        document_policy?: {
                            /**
                             * @description What a document of a kind that is not known is to the decision: `IGNORE` leaves it open, `MATCH_EXPECTED` takes it where all of `expected_data` is printed on it, both names and the birth at least.
                             * @default IGNORE
                             */
                            unknown_document?: ("IGNORE" | "MATCH_EXPECTED") | null;
                            /**
                             * @description What the data of a document may not rest on: such a document is refused.
                             * @default []
                             */
                            refused_sources?: ("CHIP" | "WALLET" | "ZONE" | "BARCODE" | "PRINT" | "EXPECTED_DATA")[] | null;
                            /**
                             * @description What the document’s chip is to the decision: `IGNORE` reads none, `PREFER` warns without one, `REQUIRE` approves only with one that is proven.
                             * @default IGNORE
                             */
                            chip?: ("IGNORE" | "PREFER" | "REQUIRE") | null;
                            /**
                             * @description Whether a digital wallet may answer in place of photographs: `IGNORE` asks for none, `OFFER` lets the person choose, `REQUIRE` takes nothing else.
                             * @default IGNORE
                             */
                            wallet?: ("IGNORE" | "OFFER" | "REQUIRE") | null;
                            /** @description What a wallet is asked for; null: all that `document.data` has, and the portrait. */
                            wallet_claims?: ("last_name" | "first_name" | "date_of_birth" | "sex" | "nationality" | "document_number" | "personal_number" | "issue_date" | "expiry_date" | "issuing_country" | "portrait")[] | null;
                            /**
                             * @description What a wallet without a portrait is to the decision: `UNDETERMINED` leaves it open, `LIVENESS_ONLY` decides without a comparison of faces, and says so.
                             * @default UNDETERMINED
                             */
                            wallet_without_portrait?: ("UNDETERMINED" | "LIVENESS_ONLY") | null;
                        } | null;
                        /** @description The age that an `AGE` transaction asks for; absent in every other. */
                        age?: {
                            /** @description The age in years that the person must have reached, from 1 to 99. */
                            over: number;
                        } | null;
                        /** @description A link that opens your app, which can read a chip: the session names it, and the capture page shows it where a chip is required. */
                        app_link?: string | null;
                        /**
                         * @description Whose pages may show the capture page in a frame, of those that the operator allows.
                         * @default []
                         */
                        embed_origins?: string[] | null;
                        /** @description What you know about the person: if the document says otherwise, the transaction is rejected. Null: nothing is compared. */
                        expected_data?: {
                            /** @description All given names, in Latin or Cyrillic letters; null where they are not compared. */
                            first_name?: string | null;
                            /** @description The surname, in Latin or Cyrillic letters; null where it is not compared. */
                            last_name?: string | null;
                            /** @description The day of birth, `YYYY-MM-DD`; null where it is not compared. */
                            date_of_birth?: string | null;
                            /** @description The number of the document; null where it is not compared. What stands between its letters and digits does not matter. */
                            document_number?: string | null;
                        } | null;
                        /** @description Only for a test account: how the transaction goes, without an analysis. */
                        test?: {
                            /** @description The decision that is made; null: the one that `issues` lead to. */
                            decision?: ("APPROVED" | "REJECTED" | "UNDETERMINED") | null;
                            /**
                             * @description Codes of the issues that the result has, at most 20.
                             * @default []
                             */
                            issues?: ("UNSUPPORTED_DOCUMENT" | "EXPIRED_DOCUMENT" | "DOCUMENT_SIDES_MISMATCH" | "MRZ_CHECKSUM_INVALID" | "SURNAME_MISMATCH" | "NAME_MISMATCH" | "DATE_OF_BIRTH_MISMATCH" | "CHIP_SIGNATURE_INVALID" | "CHIP_DATA_CHANGED" | "CHIP_DATA_MISMATCH" | "CHIP_COPY_SUSPECTED" | "CHIP_CERTIFICATE_REVOKED" | "WALLET_SIGNATURE_INVALID" | "WALLET_BINDING_INVALID" | "WALLET_REVOKED" | "WALLET_OUT_OF_TIME" | "AGE_NOT_REACHED" | "DOCUMENT_NOT_READABLE" | "MRZ_NOT_STANDARD" | "DOCUMENT_INCOMPLETE" | "NAME_NOT_COMPARABLE" | "NAME_IN_ANOTHER_FIELD" | "DOCUMENT_NUMBER_MISMATCH" | "DOCUMENT_KIND_UNKNOWN" | "DOCUMENT_SIDE_MISSING" | "DOCUMENT_PORTRAIT_MISSING" | "DOCUMENT_COPY_SUSPECTED" | "MRZ_CHARACTERS_CORRECTED" | "SURNAME_NOT_EVALUABLE" | "DOCUMENT_GLARE" | "CHIP_ISSUER_UNKNOWN" | "CHIP_NOT_READ" | "CHIP_NOT_EVALUABLE" | "WALLET_ISSUER_UNKNOWN" | "WALLET_NOT_EVALUABLE" | "AGE_NOT_EVALUABLE" | "DOCUMENT_EXPIRES_SOON" | "LIVENESS_CHALLENGE_FAILED" | "FLAT_FACE_SUSPECTED" | "FACE_CHANGED_DURING_CAPTURE" | "PRESENTATION_ATTACK_SUSPECTED" | "FACE_RENDERED_SUSPECTED" | "LIVENESS_NOT_EVALUABLE" | "MIRRORED" | "LIVENESS_FRAMES_DIFFER_IN_SIZE" | "MULTIPLE_FACES_DETECTED" | "FACE_MISMATCH" | "NO_FACE_DETECTED" | "SELFIE_LOW_QUALITY" | "FACE_MATCH_INCONCLUSIVE" | "FACE_NOT_ENROLLED" | "FACE_TEMPLATE_OUTDATED" | "WALLET_WITHOUT_PORTRAIT" | "SELFIE_MATCHES_DOCUMENT_IMAGE" | "COMPROMISED_DEVICE" | "DEVELOPER_MODE_ENABLED" | "EMULATOR_DETECTED" | "VIRTUAL_CAMERA_DETECTED" | "BOOTLOADER_UNLOCKED" | "OTHER_APP_DETECTED" | "DEVICE_NOT_ATTESTED" | "ATTESTATION_CONTRADICTED" | "COMPROMISED_DEVICE_NOT_EVALUABLE" | "DEVELOPER_MODE_NOT_EVALUABLE" | "EMULATOR_NOT_EVALUABLE" | "VIRTUAL_CAMERA_NOT_EVALUABLE" | "BOOTLOADER_NOT_EVALUABLE" | "OTHER_APP_NOT_EVALUABLE" | "VPN_OR_PROXY_DETECTED" | "VPN_OR_PROXY_NOT_EVALUABLE" | "MOCK_LOCATION_DETECTED" | "GEO_IP_MISMATCH" | "CONFIG_GPS_POLICY_WITHOUT_PERMISSION" | "MOCK_LOCATION_NOT_EVALUABLE" | "GEO_IP_MISMATCH_NOT_EVALUABLE" | "GEOLOCATION_NOT_REQUESTED" | "GEOLOCATION_DENIED" | "DOCUMENT_OF_ANOTHER_CUSTOMER" | "DOCUMENT_OF_ANOTHER_CUSTOMER_NOT_EVALUABLE" | "IMAGE_OF_ANOTHER_TRANSACTION" | "IMAGE_OF_ANOTHER_TRANSACTION_NOT_EVALUABLE" | "FACE_OF_ANOTHER_CUSTOMER" | "FACE_OF_ANOTHER_CUSTOMER_NOT_EVALUABLE" | "ENGINE_CODE_UNKNOWN")[] | null;
                            /**
                             * @description Codes of the issues that the result has once the person has taken again what could not be judged, where the account lets them; at most 20.
                             * @default []
                             */
                            second_issues?: ("UNSUPPORTED_DOCUMENT" | "EXPIRED_DOCUMENT" | "DOCUMENT_SIDES_MISMATCH" | "MRZ_CHECKSUM_INVALID" | "SURNAME_MISMATCH" | "NAME_MISMATCH" | "DATE_OF_BIRTH_MISMATCH" | "CHIP_SIGNATURE_INVALID" | "CHIP_DATA_CHANGED" | "CHIP_DATA_MISMATCH" | "CHIP_COPY_SUSPECTED" | "CHIP_CERTIFICATE_REVOKED" | "WALLET_SIGNATURE_INVALID" | "WALLET_BINDING_INVALID" | "WALLET_REVOKED" | "WALLET_OUT_OF_TIME" | "AGE_NOT_REACHED" | "DOCUMENT_NOT_READABLE" | "MRZ_NOT_STANDARD" | "DOCUMENT_INCOMPLETE" | "NAME_NOT_COMPARABLE" | "NAME_IN_ANOTHER_FIELD" | "DOCUMENT_NUMBER_MISMATCH" | "DOCUMENT_KIND_UNKNOWN" | "DOCUMENT_SIDE_MISSING" | "DOCUMENT_PORTRAIT_MISSING" | "DOCUMENT_COPY_SUSPECTED" | "MRZ_CHARACTERS_CORRECTED" | "SURNAME_NOT_EVALUABLE" | "DOCUMENT_GLARE" | "CHIP_ISSUER_UNKNOWN" | "CHIP_NOT_READ" | "CHIP_NOT_EVALUABLE" | "WALLET_ISSUER_UNKNOWN" | "WALLET_NOT_EVALUABLE" | "AGE_NOT_EVALUABLE" | "DOCUMENT_EXPIRES_SOON" | "LIVENESS_CHALLENGE_FAILED" | "FLAT_FACE_SUSPECTED" | "FACE_CHANGED_DURING_CAPTURE" | "PRESENTATION_ATTACK_SUSPECTED" | "FACE_RENDERED_SUSPECTED" | "LIVENESS_NOT_EVALUABLE" | "MIRRORED" | "LIVENESS_FRAMES_DIFFER_IN_SIZE" | "MULTIPLE_FACES_DETECTED" | "FACE_MISMATCH" | "NO_FACE_DETECTED" | "SELFIE_LOW_QUALITY" | "FACE_MATCH_INCONCLUSIVE" | "FACE_NOT_ENROLLED" | "FACE_TEMPLATE_OUTDATED" | "WALLET_WITHOUT_PORTRAIT" | "SELFIE_MATCHES_DOCUMENT_IMAGE" | "COMPROMISED_DEVICE" | "DEVELOPER_MODE_ENABLED" | "EMULATOR_DETECTED" | "VIRTUAL_CAMERA_DETECTED" | "BOOTLOADER_UNLOCKED" | "OTHER_APP_DETECTED" | "DEVICE_NOT_ATTESTED" | "ATTESTATION_CONTRADICTED" | "COMPROMISED_DEVICE_NOT_EVALUABLE" | "DEVELOPER_MODE_NOT_EVALUABLE" | "EMULATOR_NOT_EVALUABLE" | "VIRTUAL_CAMERA_NOT_EVALUABLE" | "BOOTLOADER_NOT_EVALUABLE" | "OTHER_APP_NOT_EVALUABLE" | "VPN_OR_PROXY_DETECTED" | "VPN_OR_PROXY_NOT_EVALUABLE" | "MOCK_LOCATION_DETECTED" | "GEO_IP_MISMATCH" | "CONFIG_GPS_POLICY_WITHOUT_PERMISSION" | "MOCK_LOCATION_NOT_EVALUABLE" | "GEO_IP_MISMATCH_NOT_EVALUABLE" | "GEOLOCATION_NOT_REQUESTED" | "GEOLOCATION_DENIED" | "DOCUMENT_OF_ANOTHER_CUSTOMER" | "DOCUMENT_OF_ANOTHER_CUSTOMER_NOT_EVALUABLE" | "IMAGE_OF_ANOTHER_TRANSACTION" | "IMAGE_OF_ANOTHER_TRANSACTION_NOT_EVALUABLE" | "FACE_OF_ANOTHER_CUSTOMER" | "FACE_OF_ANOTHER_CUSTOMER_NOT_EVALUABLE" | "ENGINE_CODE_UNKNOWN")[] | null;
                            /** @description How the analysis fails; null where it does not. */
                            failure?: ("ANALYSIS_ERROR" | "ANALYSIS_TIMEOUT" | "CAPTURE_UNREADABLE") | null;
                            /**
                             * @description How long the analysis takes, in seconds of the account’s own clock.
                             * @default 0
                             */
                            delay_seconds?: number | null;
                            /** @description How the first attempts of each delivery end, without a call; null: as your receiver answers. */
                            webhook?: {
                                /** @description How many attempts of each delivery end like this, before real ones are made. */
                                attempts: number;
                                /**
                                 * @description What those attempts end with, as if your receiver had done so.
                                 * @enum {string}
                                 */
                                answer: "STATUS_500" | "STATUS_429" | "TIMEOUT" | "CONNECTION_REFUSED" | "GONE";
                            } | null;
                        } | null;
                    } | null;
                };
            };
        };
        responses: {
            /** @description Opened. */
            201: {
                headers: {
                    /** @description The URL of what was created. */
                    Location: string;
                    /** @description `true` where the first response is replayed. */
                    "Idempotent-Replayed"?: string;
                    /** @description Members that mean nothing here. */
                    "X-Ignored-Fields"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenedTransaction"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The verification, by the id that Create transaction returned. */
                transaction_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The transaction. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    eraseTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The verification, by the id that Create transaction returned. */
                transaction_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Erased. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasureReceipt"];
                };
            };
            /** @description Gone for every call; the rest is erased meanwhile. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasureReceipt"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description The `next_cursor` of the page before. Valid for this list only, with the same parameters. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The verification, by the id that Create transaction returned. */
                transaction_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page; an empty list where nothing fits. */
                        data: components["schemas"]["TimelineEvent"][];
                        /** @description Where the next page begins; null at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    cancelTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The verification, by the id that Create transaction returned. */
                transaction_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The transaction, as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCaptures: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The verification, by the id that Create transaction returned. */
                transaction_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The images. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Every image that the transaction holds; an empty list where there is none. */
                        data: components["schemas"]["Capture"][];
                    };
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createCaptureLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The verification, by the id that Create transaction returned. */
                transaction_id: components["schemas"]["Id"];
                /** @description One image, by the `id` that the list of images has for it. */
                capture_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The link, valid for five minutes, for anybody who has it. */
                        url: string;
                        /** @description When the link ends. */
                        expires_at: components["schemas"]["Timestamp"];
                    };
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getEvidence: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The verification, by the id that Create transaction returned. */
                transaction_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The evidence. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/jose+json": components["schemas"]["SignedEvidence"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getErasure: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The receipt, by the `erasure_id` that the erasure returned. */
                erasure_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The receipt. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasureReceipt"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAllDeliveries: {
        parameters: {
            query?: {
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description The `next_cursor` of the page before. Valid for this list only, with the same parameters. */
                cursor?: string;
                /** @description Of PENDING, ATTEMPTING, BACKING_OFF, DELAYED, DELIVERED, EXHAUSTED, GONE; several by commas, or given again. */
                state?: string | string[];
                /** @description Statuses reached not before this time. */
                from?: string;
                /** @description Statuses reached before this time. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page; an empty list where nothing fits. */
                        data: components["schemas"]["ListedDelivery"][];
                        /** @description Where the next page begins; null at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    redeliverAll: {
        parameters: {
            query: {
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description The `next_cursor` of the page before. Valid for this list only, with the same parameters. */
                cursor?: string;
                /** @description Of PENDING, ATTEMPTING, BACKING_OFF, DELAYED, DELIVERED, EXHAUSTED, GONE; several by commas, or given again. */
                state?: string | string[];
                /** @description Statuses reached not before this time. */
                from: string;
                /** @description Statuses reached before this time. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description They are queued again. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How many are sent again. */
                        redelivered: number;
                        /** @description Where the next page begins; null at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The verification, by the id that Create transaction returned. */
                transaction_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Every delivery of the transaction; an empty list where there is none. */
                        data: components["schemas"]["Delivery"][];
                    };
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    redeliver: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The verification, by the id that Create transaction returned. */
                transaction_id: components["schemas"]["Id"];
                /** @description The delivery, as the list of deliveries names it. */
                delivery_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description It is queued again. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: {
                /** @description Seconds to wait for another version than `seen`, 0 to 60. */
                wait?: number;
                /** @description The `version` that you know: the call returns when there is another. */
                seen?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    startSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description What the app or the page reports of the device. */
                    device?: {
                        /** @description The platform that the app runs on, in its own words; null where it is unknown. */
                        sdk_platform?: string | null;
                        /** @description The version of the app’s SDK, or of the capture page; null where it is unknown. */
                        sdk_version?: string | null;
                        /** @description The version of the device’s system; null where it is unknown. */
                        os_version?: string | null;
                        /** @description The device’s model, as its maker names it; null where it is unknown. */
                        device_model?: string | null;
                        /** @description Whether it is an emulator or a simulator; null where it is unknown. */
                        is_emulator?: boolean | null;
                        /** @description Whether it is rooted; null where it is unknown. */
                        root_detected?: boolean | null;
                        /** @description Whether it is jailbroken; null where it is unknown. */
                        jailbreak_detected?: boolean | null;
                        /** @description Whether developer mode is enabled; null where it is unknown. */
                        developer_mode_enabled?: boolean | null;
                        /** @description Whether a debugger is attached; null where it is unknown. */
                        debugger_attached?: boolean | null;
                        /** @description The name of the camera that took the selfie; null where it is unknown. */
                        camera_label?: string | null;
                        /** @description What the app or the page may set of it, in its platform’s words; null where that is nothing, or unknown. */
                        camera_controls?: string | null;
                        /** @description Whether a program shows its pictures as the camera; null where it is unknown. */
                        is_virtual_camera?: boolean | null;
                        /** @description The width of the camera’s pictures, in pixels; null where it is unknown. */
                        camera_width?: number | null;
                        /** @description Their height; null where it is unknown. */
                        camera_height?: number | null;
                        /** @description The frames that the camera promises in a second; null where it is unknown. */
                        camera_frame_rate?: number | null;
                        /** @description How many of its frames were looked at; null where none was. */
                        camera_frames?: number | null;
                        /** @description The median time between two frames; null where it is unknown. */
                        camera_frame_interval_ms?: number | null;
                        /** @description By how much the times differ from it, the median; null where it is unknown. */
                        camera_frame_jitter_ms?: number | null;
                        /** @description Frames that are their predecessor to the last pixel; null where it is unknown. */
                        camera_repeated_frames?: number | null;
                        /** @description The most of them in a row: 15 count as a virtual camera; null where it is unknown. */
                        camera_longest_repeat?: number | null;
                    } | null;
                    /** @description What the person answered when they were asked for the location; the absence of coordinates is explained by it. Null: `granted` where coordinates are reported, else `not_requested`. */
                    location_permission?: ("not_requested" | "granted" | "denied") | null;
                    /**
                     * @description Whether the person agreed to be verified.
                     * @default false
                     */
                    consent?: boolean | null;
                    /** @description The document that the person has chosen to show: a card needs its back, too. Null where nothing was chosen. */
                    document_type?: ("PASSPORT" | "ID_CARD" | "DRIVING_LICENSE" | "RESIDENCE_PERMIT") | null;
                };
            };
        };
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    putSignals: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What the app or the page reports of the device. */
                    device?: {
                        /** @description The platform that the app runs on, in its own words; null where it is unknown. */
                        sdk_platform?: string | null;
                        /** @description The version of the app’s SDK, or of the capture page; null where it is unknown. */
                        sdk_version?: string | null;
                        /** @description The version of the device’s system; null where it is unknown. */
                        os_version?: string | null;
                        /** @description The device’s model, as its maker names it; null where it is unknown. */
                        device_model?: string | null;
                        /** @description Whether it is an emulator or a simulator; null where it is unknown. */
                        is_emulator?: boolean | null;
                        /** @description Whether it is rooted; null where it is unknown. */
                        root_detected?: boolean | null;
                        /** @description Whether it is jailbroken; null where it is unknown. */
                        jailbreak_detected?: boolean | null;
                        /** @description Whether developer mode is enabled; null where it is unknown. */
                        developer_mode_enabled?: boolean | null;
                        /** @description Whether a debugger is attached; null where it is unknown. */
                        debugger_attached?: boolean | null;
                        /** @description The name of the camera that took the selfie; null where it is unknown. */
                        camera_label?: string | null;
                        /** @description What the app or the page may set of it, in its platform’s words; null where that is nothing, or unknown. */
                        camera_controls?: string | null;
                        /** @description Whether a program shows its pictures as the camera; null where it is unknown. */
                        is_virtual_camera?: boolean | null;
                        /** @description The width of the camera’s pictures, in pixels; null where it is unknown. */
                        camera_width?: number | null;
                        /** @description Their height; null where it is unknown. */
                        camera_height?: number | null;
                        /** @description The frames that the camera promises in a second; null where it is unknown. */
                        camera_frame_rate?: number | null;
                        /** @description How many of its frames were looked at; null where none was. */
                        camera_frames?: number | null;
                        /** @description The median time between two frames; null where it is unknown. */
                        camera_frame_interval_ms?: number | null;
                        /** @description By how much the times differ from it, the median; null where it is unknown. */
                        camera_frame_jitter_ms?: number | null;
                        /** @description Frames that are their predecessor to the last pixel; null where it is unknown. */
                        camera_repeated_frames?: number | null;
                        /** @description The most of them in a row: 15 count as a virtual camera; null where it is unknown. */
                        camera_longest_repeat?: number | null;
                    } | null;
                    /** @description What is known of the connection. */
                    network?: {
                        /** @description What the device says of its address, such as `IPv4`; null where it is unknown. */
                        ip_type?: string | null;
                        /** @description Whether the connection goes through a VPN; null where it is unknown. */
                        vpn_detected?: boolean | null;
                        /** @description Whether the connection goes through a proxy; null where it is unknown. */
                        proxy_detected?: boolean | null;
                        /** @description Whether the connection comes from Tor; null where it is unknown. */
                        tor_detected?: boolean | null;
                        /** @description How the device is connected, such as `wifi` or `cellular`; null where it is unknown. */
                        connection_type?: string | null;
                        /** @description The name of the mobile carrier; null where there is none, or it is unknown. */
                        carrier_name?: string | null;
                    } | null;
                    /** @description Where the device is; null where it is not known: `location_permission` says why. */
                    geolocation?: {
                        /** @description Degrees north of the equator, negative to the south; null where it is unknown. */
                        latitude?: number | null;
                        /** @description Degrees east of Greenwich, negative to the west; null where it is unknown. */
                        longitude?: number | null;
                        /** @description What the device found its place by, such as `gps`; null where it is unknown. */
                        source?: string | null;
                        /** @description Whether the location is simulated; null where it is unknown. */
                        is_mock_location?: boolean | null;
                    } | null;
                    /** @description What the person answered when they were asked for the location; the absence of coordinates is explained by it. Null: `granted` where coordinates are reported, else `not_requested`. */
                    location_permission?: ("not_requested" | "granted" | "denied") | null;
                };
            };
        };
        responses: {
            /** @description Stored. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The document that the person shows instead: a card needs its back, too.
                     * @enum {string}
                     */
                    document_type: "PASSPORT" | "ID_CARD" | "DRIVING_LICENSE" | "RESIDENCE_PERMIT";
                };
            };
        };
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    putDocumentFront: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "image/jpeg": string;
                "image/png": string;
                "image/webp": string;
            };
        };
        responses: {
            /** @description Accepted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureResponse"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    putDocumentBack: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "image/jpeg": string;
                "image/png": string;
                "image/webp": string;
            };
        };
        responses: {
            /** @description Accepted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureResponse"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    putSelfie: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "image/jpeg": string;
                "image/png": string;
                "image/webp": string;
            };
        };
        responses: {
            /** @description Accepted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureResponse"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    issueChallenge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A challenge, to answer before it expires. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Challenge"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    putFrame: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The challenge, by the `challenge_id` that it was issued with. */
                challenge_id: components["schemas"]["Id"];
                /** @description The index of the action, from 0. */
                n: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "image/jpeg": string;
                "image/png": string;
                "image/webp": string;
            };
        };
        responses: {
            /** @description Accepted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureResponse"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    dropCapture: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The step whose capture is dropped, or `document_chip`. */
                kind: "document_front" | "document_back" | "document_chip" | "document_wallet" | "selfie" | "liveness";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Dropped. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    completeSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Submitted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true: the person is done, and the analysis follows.
                         * @constant
                         */
                        submitted: true;
                    };
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getResult: {
        parameters: {
            query?: {
                /** @description Seconds to wait for the end, 0 to 60. */
                wait?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Status and outcome: never scores, and only reasons that a person can do something about. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Where the transaction is in its life; `FINISHED`, `FAILED` and `EXPIRED` are final. */
                        status: components["schemas"]["TransactionStatus"];
                        /** @description What was decided, without reasons, for the person to see; null until the transaction has ended. */
                        outcome: ("APPROVED" | "REJECTED" | "UNDETERMINED") | null;
                        /** @description What a submitted transaction waits for, other than its analysis. `review`: a person looks at it, which may take days. `resubmission`: some steps are missing again, as they could not be judged; take them, and complete again. Null else. */
                        waiting_for: ("review" | "resubmission") | null;
                        /** @description Why the person was not approved, where they can do something about it and nothing else rejects; else empty. New codes may come. */
                        advice: string[];
                    };
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    cancelSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description True ends the transaction; else the person may come back.
                     * @default false
                     */
                    final?: boolean | null;
                };
            };
        };
        responses: {
            /** @description The status. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Where the transaction is in its life; `FINISHED`, `FAILED` and `EXPIRED` are final. */
                        status: components["schemas"]["TransactionStatus"];
                    };
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    advanceTestClock: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Only this transaction’s clock; absent: the account’s. */
                    transaction_id?: string | null;
                    /** @description How far to advance the clock, in seconds, up to ten years. */
                    advance_seconds?: number | null;
                    /** @description Instead of `advance_seconds`: how many seconds before the transaction’s expiry its clock is set. */
                    expires_in_seconds?: number | null;
                };
            };
        };
        responses: {
            /** @description Advanced. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What the clock of the account shows now, or of the transaction that was named. */
                        now: components["schemas"]["Timestamp"];
                        /** @description How far the clock was advanced, in seconds. */
                        advanced_seconds: number;
                    };
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    walkTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The verification, by the id that Create transaction returned. */
                transaction_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The status that the walk ends with: `INITIATED` starts the session, `COMPLETED` also takes every step and submits.
                     * @enum {string}
                     */
                    to: "INITIATED" | "COMPLETED";
                };
            };
        };
        responses: {
            /** @description The transaction, as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listen: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description How many seconds to wait until an attempt is due.
                     * @default 0
                     */
                    wait_seconds?: number | null;
                };
            };
        };
        responses: {
            /** @description An attempt to make within 30 s, or null. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description An attempt to make; null where none is due. */
                        delivery: components["schemas"]["ListenedAttempt"] | null;
                    };
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    reportAttempt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The delivery of the attempt that was taken. */
                delivery_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The attempt, by the `lease` that it was taken with. */
                    lease: string;
                    /** @description What the receiver answered; absent where it did not. */
                    status?: number | null;
                    /** @description Why there was no answer, in words; absent where there was one. */
                    error?: string | null;
                    /** @description The `Retry-After` header of the answer, as it came; absent where it had none. */
                    retry_after?: string | null;
                    /** @description How long the call took, in milliseconds. */
                    duration_ms: number;
                };
            };
        };
        responses: {
            /** @description Recorded. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    issueChipChallenge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A challenge. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChipChallenge"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    putChip: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Why nothing was read; the files are then left out. It is reported, and never passes. */
                    unavailable?: ("NO_NFC" | "NFC_OFF" | "NO_CHIP" | "NOT_PERMITTED" | "READ_FAILED") | null;
                    /** @description EF.SOD, what the state signed. Needed, unless `unavailable`. */
                    sod?: string | null;
                    /** @description DG1, the machine-readable zone, or a driving licence’s data. Needed, unless `unavailable`. */
                    dg1?: string | null;
                    /** @description DG2, the portrait. Needed, unless `unavailable`, or `dg6` is there. */
                    dg2?: string | null;
                    /** @description DG6 of a driving licence, the portrait. Needed in place of DG2. */
                    dg6?: string | null;
                    /** @description DG11, details of the person. */
                    dg11?: string | null;
                    /** @description DG12, details of the document. */
                    dg12?: string | null;
                    /** @description DG13 of a driving licence, the key for active authentication. */
                    dg13?: string | null;
                    /** @description DG14, the chip’s protocols. */
                    dg14?: string | null;
                    /** @description DG15, the key for active authentication. */
                    dg15?: string | null;
                    /** @description The chip’s answer to a challenge, if it has DG15, or DG13 of a driving licence. */
                    active_authentication?: {
                        /**
                         * Format: uuid
                         * @description The challenge that the chip signed.
                         */
                        challenge_id: string;
                        /** @description The chip’s answer to INTERNAL AUTHENTICATE. */
                        response: string;
                    } | null;
                };
            };
        };
        responses: {
            /** @description Accepted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChipResponse"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    requestWallet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The origin of the page that calls `navigator.credentials.get`: this service’s, which is the default, or one of `CORS_ORIGINS`. */
                    origin?: string | null;
                };
            };
        };
        responses: {
            /** @description A request, to answer before it expires. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletRequest"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    putWalletAnswer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The request, by the `request_id` that it was opened with. */
                request_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description As the browser returned it.
                     * @enum {string}
                     */
                    protocol: "openid4vp-v1-unsigned" | "openid4vp-v1-signed" | "org-iso-mdoc";
                    /** @description As the browser returned it. */
                    data: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Accepted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletReceipt"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDuplicates: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The person, by the id that Create customer returned. */
                customer_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The duplicates. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description At most 100, the newest first; empty where there are none. */
                        data: components["schemas"]["Duplicate"][];
                    };
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    offerHandoff: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Offered. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OfferedHandoff"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    takeBackHandoff: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description This device captures. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    claimHandoff: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The one-time code, as the link has it after `handoff=`. */
                    code: string;
                };
            };
        };
        responses: {
            /** @description This device captures. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClaimedHandoff"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    sendHandoff: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The one-time code of the offer. */
                    code: string;
                    /** @description An e-mail address, or a telephone number with `+`. */
                    recipient: string;
                    /** @description The language of the message; the transaction’s by default. */
                    locale?: string;
                };
            };
        };
        responses: {
            /** @description The operator’s receiver has it. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    issueAttestationChallenge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A challenge, to answer before it expires. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttestationChallenge"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    putAttestation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The challenge that the key was made for.
                     */
                    challenge_id: string;
                    /**
                     * @description Whose attestation it is.
                     * @enum {string}
                     */
                    platform: "android" | "ios";
                    /** @description Of Android: the chain of `KeyStore.getCertificateChain`, in its order, each in DER and base64. */
                    certificates?: string[] | null;
                    /** @description Of iOS: the object of `DCAppAttestService.attestKey`, in base64. */
                    attestation?: string | null;
                    /** @description Of iOS: the identifier of `DCAppAttestService.generateKey`, as it is. */
                    key_id?: string | null;
                };
            };
        };
        responses: {
            /** @description Verified, and stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttestationResponse"];
                };
            };
            /** @description A failure. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
