/** Never reports that it is ready, as a child. */
setInterval(() => {}, 1_000_000)
