import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Initial1795500000000 implements MigrationInterface {
  name = 'Initial1795500000000'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE \`journal\` (\`actor_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`sequence\` int NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`actor_type\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`event\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`status\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`occurred_at\` bigint NOT NULL, \`chart_version\` int NOT NULL, \`hash\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, PRIMARY KEY (\`actor_id\`, \`sequence\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`scheduled_jobs\` (\`id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`queue\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`lane\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL DEFAULT '', \`actor_type\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`actor_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`name\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`payload\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`ready_at\` bigint NOT NULL, \`lease\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL, \`claims\` int NOT NULL, \`traceparent\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL, INDEX \`scheduled_jobs_queue_lane_ready_at_id\` (\`queue\`, \`lane\`, \`ready_at\`, \`id\`), UNIQUE INDEX \`scheduled_jobs_actor_id_name\` (\`actor_id\`, \`name\`), INDEX \`scheduled_jobs_lease\` (\`lease\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`commit_fences\` (\`id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`token\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`made_at\` bigint NOT NULL, INDEX \`commit_fences_made_at\` (\`made_at\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`accounts\` (\`id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`name\` varchar(255) CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`mode\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL, \`clock_offset_ms\` bigint NULL, \`review\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL, \`created_at\` bigint NOT NULL, PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`clients\` (\`id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`secret_hmac\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`created_at\` bigint NOT NULL, \`revoked_at\` bigint NULL, INDEX \`clients_account_id\` (\`account_id\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`customers\` (\`id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`lookup\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`profile\` longblob NOT NULL, \`data_key\` longblob NOT NULL, \`face\` longblob NULL, \`face_transaction_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL, \`created_at\` bigint NOT NULL, \`uses\` int NULL, UNIQUE INDEX \`customers_account_id_lookup\` (\`account_id\`, \`lookup\`), INDEX \`customers_account_id_created_at_id\` (\`account_id\`, \`created_at\`, \`id\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`transactions\` (\`id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`clock_offset_ms\` bigint NULL, \`snapshot\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`version\` int NOT NULL, \`chart_version\` int NOT NULL, \`status\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`created_at\` bigint NOT NULL, \`journal_hash\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`journal_at\` bigint NOT NULL, \`customer_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`transaction_type\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`reference\` varchar(255) CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NULL, \`config\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`expected_data\` longblob NULL, \`token_hash\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`expires_at\` bigint NOT NULL, \`initiated_at\` bigint NULL, \`completed_at\` bigint NULL, \`processing_at\` bigint NULL, \`finished_at\` bigint NULL, \`result\` longblob NULL, \`decision\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL, \`erasure_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL, \`encrypted_reference\` longblob NULL, \`trace\` longblob NULL, \`turns\` int NULL, \`awaiting_review_since\` bigint NULL, \`review_reason\` longblob NULL, \`review_template\` longblob NULL, UNIQUE INDEX \`transactions_token_hash\` (\`token_hash\`), INDEX \`transactions_awaiting_review_since_id\` (\`awaiting_review_since\`, \`id\`), INDEX \`transactions_chart_version_status\` (\`chart_version\`, \`status\`), INDEX \`transactions_account_id_created_at_id\` (\`account_id\`, \`created_at\`, \`id\`), INDEX \`transactions_account_id_transaction_type_status_created_at_id\` (\`account_id\`, \`transaction_type\`, \`status\`, \`created_at\`, \`id\`), INDEX \`transactions_account_id_decision_status_created_at_id\` (\`account_id\`, \`decision\`, \`status\`, \`created_at\`, \`id\`), INDEX \`transactions_account_id_reference_created_at_id\` (\`account_id\`, \`reference\`, \`created_at\`, \`id\`), INDEX \`transactions_customer_id_created_at_id\` (\`customer_id\`, \`created_at\`, \`id\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`handoffs\` (\`code_hash\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`transaction_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`expires_at\` bigint NOT NULL, \`token_hash\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL, \`device\` int NULL, UNIQUE INDEX \`handoffs_token_hash\` (\`token_hash\`), INDEX \`handoffs_transaction_id\` (\`transaction_id\`), PRIMARY KEY (\`code_hash\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`transaction_issues\` (\`code\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`transaction_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, INDEX \`transaction_issues_transaction_id\` (\`transaction_id\`), INDEX \`transaction_issues_account_id_code_transaction_id\` (\`account_id\`, \`code\`, \`transaction_id\`), PRIMARY KEY (\`code\`, \`transaction_id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`captures\` (\`id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`transaction_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`kind\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`media_type\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`digest\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`byte_count\` int NOT NULL, \`content\` longblob NULL, \`created_at\` bigint NOT NULL, INDEX \`captures_transaction_id\` (\`transaction_id\`), INDEX \`captures_account_id_digest\` (\`account_id\`, \`digest\`), INDEX \`captures_kind_created_at\` (\`kind\`, \`created_at\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`content_pieces\` (\`capture_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`position\` int NOT NULL, \`piece\` longblob NOT NULL, PRIMARY KEY (\`capture_id\`, \`position\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`object_removals\` (\`capture_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`transaction_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`remove_at\` bigint NOT NULL, INDEX \`object_removals_remove_at\` (\`remove_at\`), INDEX \`object_removals_transaction_id\` (\`transaction_id\`), PRIMARY KEY (\`capture_id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`deliveries\` (\`id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`clock_offset_ms\` bigint NULL, \`snapshot\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`version\` int NOT NULL, \`chart_version\` int NOT NULL, \`status\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`created_at\` bigint NOT NULL, \`transaction_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`sequence\` int NOT NULL, \`event_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`notified_status\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`occurred_at\` bigint NOT NULL, \`origin_id\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL, UNIQUE INDEX \`deliveries_transaction_id_sequence\` (\`transaction_id\`, \`sequence\`), INDEX \`deliveries_chart_version_status_occurred_at\` (\`chart_version\`, \`status\`, \`occurred_at\`), INDEX \`deliveries_account_id_occurred_at_id\` (\`account_id\`, \`occurred_at\`, \`id\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`delivery_attempts\` (\`id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`delivery_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`attempt\` int NOT NULL, \`started_at\` bigint NOT NULL, \`duration_ms\` int NOT NULL, \`outcome\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`http_status\` int NULL, \`address\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL, \`error\` varchar(255) CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NULL, \`answer\` longblob NULL, INDEX \`delivery_attempts_delivery_id_started_at\` (\`delivery_id\`, \`started_at\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`origins\` (\`id\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`origin\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`failing_since\` bigint NULL, \`paused_at\` bigint NULL, \`paused_by\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL, INDEX \`origins_account_id\` (\`account_id\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`signing_keys\` (\`id\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`purpose\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`algorithm\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`public_jwk\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`private_jwk\` longblob NOT NULL, \`created_at\` bigint NOT NULL, \`active_at\` bigint NOT NULL, \`retired_at\` bigint NULL, INDEX \`signing_keys_purpose_active_at\` (\`purpose\`, \`active_at\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`idempotency_keys\` (\`id\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`request\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`answer\` longblob NOT NULL, \`subject_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL, \`expires_at\` bigint NOT NULL, INDEX \`idempotency_keys_expires_at\` (\`expires_at\`), INDEX \`idempotency_keys_subject_id\` (\`subject_id\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`rate_limits\` (\`id\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`full_at_us\` bigint NOT NULL, INDEX \`rate_limits_full_at_us\` (\`full_at_us\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`erasures\` (\`id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`subject\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`subject_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`erased_by\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`counts\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`erased_at\` bigint NOT NULL, \`reached\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NULL, \`completed_at\` bigint NULL, UNIQUE INDEX \`erasures_account_id_subject_id\` (\`account_id\`, \`subject_id\`), INDEX \`erasures_completed_at\` (\`completed_at\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`facts\` (\`name\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`value\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, PRIMARY KEY (\`name\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`operators\` (\`id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`name\` varchar(255) CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`role\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`password\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`totp_secret\` longblob NOT NULL, \`totp_step\` bigint NULL, \`created_at\` bigint NOT NULL, \`disabled_at\` bigint NULL, \`last_login_at\` bigint NULL, UNIQUE INDEX \`operators_name\` (\`name\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`operator_sessions\` (\`id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`operator_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`token_hash\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`created_at\` bigint NOT NULL, \`last_seen_at\` bigint NOT NULL, \`address\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`user_agent\` varchar(255) CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, UNIQUE INDEX \`operator_sessions_token_hash\` (\`token_hash\`), INDEX \`operator_sessions_operator_id\` (\`operator_id\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`nodes\` (\`id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`url\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`version\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`roles\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`started_at\` bigint NOT NULL, \`seen_at\` bigint NOT NULL, \`state\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, INDEX \`nodes_seen_at\` (\`seen_at\`), PRIMARY KEY (\`id\`)) ENGINE=InnoDB`,
    )
    await queryRunner.query(
      `CREATE TABLE \`audit\` (\`sequence\` int NOT NULL, \`occurred_at\` bigint NOT NULL, \`operator_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL, \`client_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL, \`action\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`address\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, \`subject_type\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL, \`subject_id\` varchar(255) CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NULL, \`account_id\` char(36) CHARACTER SET "ascii" COLLATE "ascii_bin" NULL, \`details\` longtext CHARACTER SET "utf8mb4" COLLATE "utf8mb4_bin" NOT NULL, \`hash\` varchar(100) CHARACTER SET "ascii" COLLATE "ascii_bin" NOT NULL, INDEX \`audit_occurred_at\` (\`occurred_at\`), INDEX \`audit_operator_id_sequence\` (\`operator_id\`, \`sequence\`), INDEX \`audit_client_id_sequence\` (\`client_id\`, \`sequence\`), INDEX \`audit_subject_id_sequence\` (\`subject_id\`, \`sequence\`), INDEX \`audit_action_sequence\` (\`action\`, \`sequence\`), PRIMARY KEY (\`sequence\`)) ENGINE=InnoDB`,
    )
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX \`audit_action_sequence\` ON \`audit\``)
    await queryRunner.query(`DROP INDEX \`audit_subject_id_sequence\` ON \`audit\``)
    await queryRunner.query(`DROP INDEX \`audit_client_id_sequence\` ON \`audit\``)
    await queryRunner.query(`DROP INDEX \`audit_operator_id_sequence\` ON \`audit\``)
    await queryRunner.query(`DROP INDEX \`audit_occurred_at\` ON \`audit\``)
    await queryRunner.query(`DROP TABLE \`audit\``)
    await queryRunner.query(`DROP INDEX \`nodes_seen_at\` ON \`nodes\``)
    await queryRunner.query(`DROP TABLE \`nodes\``)
    await queryRunner.query(`DROP INDEX \`operator_sessions_operator_id\` ON \`operator_sessions\``)
    await queryRunner.query(`DROP INDEX \`operator_sessions_token_hash\` ON \`operator_sessions\``)
    await queryRunner.query(`DROP TABLE \`operator_sessions\``)
    await queryRunner.query(`DROP INDEX \`operators_name\` ON \`operators\``)
    await queryRunner.query(`DROP TABLE \`operators\``)
    await queryRunner.query(`DROP TABLE \`facts\``)
    await queryRunner.query(`DROP INDEX \`erasures_completed_at\` ON \`erasures\``)
    await queryRunner.query(`DROP INDEX \`erasures_account_id_subject_id\` ON \`erasures\``)
    await queryRunner.query(`DROP TABLE \`erasures\``)
    await queryRunner.query(`DROP INDEX \`rate_limits_full_at_us\` ON \`rate_limits\``)
    await queryRunner.query(`DROP TABLE \`rate_limits\``)
    await queryRunner.query(`DROP INDEX \`idempotency_keys_subject_id\` ON \`idempotency_keys\``)
    await queryRunner.query(`DROP INDEX \`idempotency_keys_expires_at\` ON \`idempotency_keys\``)
    await queryRunner.query(`DROP TABLE \`idempotency_keys\``)
    await queryRunner.query(`DROP INDEX \`signing_keys_purpose_active_at\` ON \`signing_keys\``)
    await queryRunner.query(`DROP TABLE \`signing_keys\``)
    await queryRunner.query(`DROP INDEX \`origins_account_id\` ON \`origins\``)
    await queryRunner.query(`DROP TABLE \`origins\``)
    await queryRunner.query(`DROP INDEX \`delivery_attempts_delivery_id_started_at\` ON \`delivery_attempts\``)
    await queryRunner.query(`DROP TABLE \`delivery_attempts\``)
    await queryRunner.query(`DROP INDEX \`deliveries_account_id_occurred_at_id\` ON \`deliveries\``)
    await queryRunner.query(`DROP INDEX \`deliveries_chart_version_status_occurred_at\` ON \`deliveries\``)
    await queryRunner.query(`DROP INDEX \`deliveries_transaction_id_sequence\` ON \`deliveries\``)
    await queryRunner.query(`DROP TABLE \`deliveries\``)
    await queryRunner.query(`DROP INDEX \`object_removals_transaction_id\` ON \`object_removals\``)
    await queryRunner.query(`DROP INDEX \`object_removals_remove_at\` ON \`object_removals\``)
    await queryRunner.query(`DROP TABLE \`object_removals\``)
    await queryRunner.query(`DROP TABLE \`content_pieces\``)
    await queryRunner.query(`DROP INDEX \`captures_kind_created_at\` ON \`captures\``)
    await queryRunner.query(`DROP INDEX \`captures_account_id_digest\` ON \`captures\``)
    await queryRunner.query(`DROP INDEX \`captures_transaction_id\` ON \`captures\``)
    await queryRunner.query(`DROP TABLE \`captures\``)
    await queryRunner.query(
      `DROP INDEX \`transaction_issues_account_id_code_transaction_id\` ON \`transaction_issues\``,
    )
    await queryRunner.query(`DROP INDEX \`transaction_issues_transaction_id\` ON \`transaction_issues\``)
    await queryRunner.query(`DROP TABLE \`transaction_issues\``)
    await queryRunner.query(`DROP INDEX \`handoffs_transaction_id\` ON \`handoffs\``)
    await queryRunner.query(`DROP INDEX \`handoffs_token_hash\` ON \`handoffs\``)
    await queryRunner.query(`DROP TABLE \`handoffs\``)
    await queryRunner.query(`DROP INDEX \`transactions_customer_id_created_at_id\` ON \`transactions\``)
    await queryRunner.query(`DROP INDEX \`transactions_account_id_reference_created_at_id\` ON \`transactions\``)
    await queryRunner.query(`DROP INDEX \`transactions_account_id_decision_status_created_at_id\` ON \`transactions\``)
    await queryRunner.query(
      `DROP INDEX \`transactions_account_id_transaction_type_status_created_at_id\` ON \`transactions\``,
    )
    await queryRunner.query(`DROP INDEX \`transactions_account_id_created_at_id\` ON \`transactions\``)
    await queryRunner.query(`DROP INDEX \`transactions_chart_version_status\` ON \`transactions\``)
    await queryRunner.query(`DROP INDEX \`transactions_awaiting_review_since_id\` ON \`transactions\``)
    await queryRunner.query(`DROP INDEX \`transactions_token_hash\` ON \`transactions\``)
    await queryRunner.query(`DROP TABLE \`transactions\``)
    await queryRunner.query(`DROP INDEX \`customers_account_id_created_at_id\` ON \`customers\``)
    await queryRunner.query(`DROP INDEX \`customers_account_id_lookup\` ON \`customers\``)
    await queryRunner.query(`DROP TABLE \`customers\``)
    await queryRunner.query(`DROP INDEX \`clients_account_id\` ON \`clients\``)
    await queryRunner.query(`DROP TABLE \`clients\``)
    await queryRunner.query(`DROP TABLE \`accounts\``)
    await queryRunner.query(`DROP INDEX \`commit_fences_made_at\` ON \`commit_fences\``)
    await queryRunner.query(`DROP TABLE \`commit_fences\``)
    await queryRunner.query(`DROP INDEX \`scheduled_jobs_lease\` ON \`scheduled_jobs\``)
    await queryRunner.query(`DROP INDEX \`scheduled_jobs_actor_id_name\` ON \`scheduled_jobs\``)
    await queryRunner.query(`DROP INDEX \`scheduled_jobs_queue_lane_ready_at_id\` ON \`scheduled_jobs\``)
    await queryRunner.query(`DROP TABLE \`scheduled_jobs\``)
    await queryRunner.query(`DROP TABLE \`journal\``)
  }
}
