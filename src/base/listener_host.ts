/** Where a test account's webhooks wait for a listener; a live account can't use it (RFC 6761: it resolves nowhere). */
export const listenerHost = 'listen.invalid'
