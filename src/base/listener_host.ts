/** The host of webhook URLs whose deliveries wait for a test account's listener. It never resolves (RFC 6761). */
export const listenerHost = 'listen.invalid'
