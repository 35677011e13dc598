/**
 * Settings of each connection, the migrations' included, that a server's own configuration must not decide: how text,
 * NULL and errors are treated, whether a statement commits, how long it may take, which rows it reads or may write, and in
 * which time zone. MySQL has them as well but for the one in a comment that MariaDB alone reads, and any user may set them.
 */
export const sessionSettings: readonly string[] = [
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE',
  // The driver escapes with backslashes, which NO_BACKSLASH_ESCAPES would take for text. Values that don't fit must fail.
  `SET SESSION sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', autocommit = 1,
  completion_type = 0, default_storage_engine = InnoDB, sql_auto_is_null = 0, sql_safe_updates = 0, sql_big_selects = 1,
  foreign_key_checks = 1, sql_select_limit = 18446744073709551615, unique_checks = 1, max_sort_length = 1024,
  time_zone = '+00:00' /*M! , max_statement_time = 0 */`,
]
