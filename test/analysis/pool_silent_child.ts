/** A child that never says that it is ready. */
process.on('message', () => {})
