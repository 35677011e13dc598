import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Initial1795500000000 implements MigrationInterface {
  name = 'Initial1795500000000'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "journal" ("actor_id" text NOT NULL, "sequence" integer NOT NULL, "account_id" text NOT NULL, "actor_type" text NOT NULL, "event" text NOT NULL, "status" text NOT NULL, "occurred_at" bigint NOT NULL, "chart_version" integer NOT NULL, "hash" text NOT NULL, PRIMARY KEY ("actor_id", "sequence"))`,
    )
    await queryRunner.query(
      `CREATE TABLE "scheduled_jobs" ("id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "queue" text NOT NULL, "lane" text NOT NULL DEFAULT (''), "actor_type" text NOT NULL, "actor_id" text NOT NULL, "name" text NOT NULL, "payload" text NOT NULL, "ready_at" bigint NOT NULL, "lease" text, "claims" integer NOT NULL, "traceparent" text)`,
    )
    await queryRunner.query(
      `CREATE INDEX "scheduled_jobs_queue_lane_ready_at_id" ON "scheduled_jobs" ("queue", "lane", "ready_at", "id") `,
    )
    await queryRunner.query(
      `CREATE UNIQUE INDEX "scheduled_jobs_actor_id_name" ON "scheduled_jobs" ("actor_id", "name") `,
    )
    await queryRunner.query(`CREATE INDEX "scheduled_jobs_lease" ON "scheduled_jobs" ("lease") `)
    await queryRunner.query(
      `CREATE TABLE "commit_fences" ("id" text PRIMARY KEY NOT NULL, "token" text NOT NULL, "made_at" bigint NOT NULL)`,
    )
    await queryRunner.query(`CREATE INDEX "commit_fences_made_at" ON "commit_fences" ("made_at") `)
    await queryRunner.query(
      `CREATE TABLE "accounts" ("id" text PRIMARY KEY NOT NULL, "name" text NOT NULL, "mode" text, "clock_offset_ms" bigint, "review" text, "created_at" bigint NOT NULL)`,
    )
    await queryRunner.query(
      `CREATE TABLE "clients" ("id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "secret_hmac" text NOT NULL, "created_at" bigint NOT NULL, "revoked_at" bigint)`,
    )
    await queryRunner.query(`CREATE INDEX "clients_account_id" ON "clients" ("account_id") `)
    await queryRunner.query(
      `CREATE TABLE "customers" ("id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "lookup" text NOT NULL, "profile" blob NOT NULL, "data_key" blob NOT NULL, "face" blob, "face_transaction_id" text, "created_at" bigint NOT NULL, "uses" integer)`,
    )
    await queryRunner.query(
      `CREATE UNIQUE INDEX "customers_account_id_lookup" ON "customers" ("account_id", "lookup") `,
    )
    await queryRunner.query(
      `CREATE INDEX "customers_account_id_created_at_id" ON "customers" ("account_id", "created_at", "id") `,
    )
    await queryRunner.query(
      `CREATE TABLE "transactions" ("id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "clock_offset_ms" bigint, "snapshot" text NOT NULL, "version" integer NOT NULL, "chart_version" integer NOT NULL, "status" text NOT NULL, "created_at" bigint NOT NULL, "journal_hash" text NOT NULL, "journal_at" bigint NOT NULL, "customer_id" text NOT NULL, "transaction_type" text NOT NULL, "reference" text, "config" text NOT NULL, "expected_data" blob, "token_hash" text NOT NULL, "expires_at" bigint NOT NULL, "initiated_at" bigint, "completed_at" bigint, "processing_at" bigint, "finished_at" bigint, "result" blob, "decision" text, "erasure_id" text, "encrypted_reference" blob, "trace" blob, "turns" integer, "awaiting_review_since" bigint, "review_reason" blob, "review_template" blob)`,
    )
    await queryRunner.query(`CREATE UNIQUE INDEX "transactions_token_hash" ON "transactions" ("token_hash") `)
    await queryRunner.query(
      `CREATE INDEX "transactions_awaiting_review_since_id" ON "transactions" ("awaiting_review_since", "id") `,
    )
    await queryRunner.query(
      `CREATE INDEX "transactions_chart_version_status" ON "transactions" ("chart_version", "status") `,
    )
    await queryRunner.query(
      `CREATE INDEX "transactions_account_id_created_at_id" ON "transactions" ("account_id", "created_at", "id") `,
    )
    await queryRunner.query(
      `CREATE INDEX "transactions_account_id_transaction_type_status_created_at_id" ON "transactions" ("account_id", "transaction_type", "status", "created_at", "id") `,
    )
    await queryRunner.query(
      `CREATE INDEX "transactions_account_id_decision_status_created_at_id" ON "transactions" ("account_id", "decision", "status", "created_at", "id") `,
    )
    await queryRunner.query(
      `CREATE INDEX "transactions_account_id_reference_created_at_id" ON "transactions" ("account_id", "reference", "created_at", "id") `,
    )
    await queryRunner.query(
      `CREATE INDEX "transactions_customer_id_created_at_id" ON "transactions" ("customer_id", "created_at", "id") `,
    )
    await queryRunner.query(
      `CREATE TABLE "handoffs" ("code_hash" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "transaction_id" text NOT NULL, "expires_at" bigint NOT NULL, "token_hash" text, "device" integer)`,
    )
    await queryRunner.query(`CREATE UNIQUE INDEX "handoffs_token_hash" ON "handoffs" ("token_hash") `)
    await queryRunner.query(`CREATE INDEX "handoffs_transaction_id" ON "handoffs" ("transaction_id") `)
    await queryRunner.query(
      `CREATE TABLE "transaction_issues" ("code" text NOT NULL, "transaction_id" text NOT NULL, "account_id" text NOT NULL, PRIMARY KEY ("code", "transaction_id"))`,
    )
    await queryRunner.query(
      `CREATE INDEX "transaction_issues_transaction_id" ON "transaction_issues" ("transaction_id") `,
    )
    await queryRunner.query(
      `CREATE INDEX "transaction_issues_account_id_code_transaction_id" ON "transaction_issues" ("account_id", "code", "transaction_id") `,
    )
    await queryRunner.query(
      `CREATE TABLE "captures" ("id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "transaction_id" text NOT NULL, "kind" text NOT NULL, "media_type" text NOT NULL, "digest" text NOT NULL, "byte_count" integer NOT NULL, "content" blob, "created_at" bigint NOT NULL)`,
    )
    await queryRunner.query(`CREATE INDEX "captures_transaction_id" ON "captures" ("transaction_id") `)
    await queryRunner.query(`CREATE INDEX "captures_account_id_digest" ON "captures" ("account_id", "digest") `)
    await queryRunner.query(`CREATE INDEX "captures_kind_created_at" ON "captures" ("kind", "created_at") `)
    await queryRunner.query(
      `CREATE TABLE "content_pieces" ("capture_id" text NOT NULL, "position" integer NOT NULL, "piece" blob NOT NULL, PRIMARY KEY ("capture_id", "position"))`,
    )
    await queryRunner.query(
      `CREATE TABLE "object_removals" ("capture_id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "transaction_id" text NOT NULL, "remove_at" bigint NOT NULL)`,
    )
    await queryRunner.query(`CREATE INDEX "object_removals_remove_at" ON "object_removals" ("remove_at") `)
    await queryRunner.query(`CREATE INDEX "object_removals_transaction_id" ON "object_removals" ("transaction_id") `)
    await queryRunner.query(
      `CREATE TABLE "deliveries" ("id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "clock_offset_ms" bigint, "snapshot" text NOT NULL, "version" integer NOT NULL, "chart_version" integer NOT NULL, "status" text NOT NULL, "created_at" bigint NOT NULL, "transaction_id" text NOT NULL, "sequence" integer NOT NULL, "event_id" text NOT NULL, "notified_status" text NOT NULL, "occurred_at" bigint NOT NULL, "origin_id" text)`,
    )
    await queryRunner.query(
      `CREATE UNIQUE INDEX "deliveries_transaction_id_sequence" ON "deliveries" ("transaction_id", "sequence") `,
    )
    await queryRunner.query(
      `CREATE INDEX "deliveries_chart_version_status_occurred_at" ON "deliveries" ("chart_version", "status", "occurred_at") `,
    )
    await queryRunner.query(
      `CREATE INDEX "deliveries_account_id_occurred_at_id" ON "deliveries" ("account_id", "occurred_at", "id") `,
    )
    await queryRunner.query(
      `CREATE TABLE "delivery_attempts" ("id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "delivery_id" text NOT NULL, "attempt" integer NOT NULL, "started_at" bigint NOT NULL, "duration_ms" integer NOT NULL, "outcome" text NOT NULL, "http_status" integer, "address" text, "error" text, "answer" blob)`,
    )
    await queryRunner.query(
      `CREATE INDEX "delivery_attempts_delivery_id_started_at" ON "delivery_attempts" ("delivery_id", "started_at") `,
    )
    await queryRunner.query(
      `CREATE TABLE "origins" ("id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "origin" text NOT NULL, "failing_since" bigint, "paused_at" bigint, "paused_by" text)`,
    )
    await queryRunner.query(`CREATE INDEX "origins_account_id" ON "origins" ("account_id") `)
    await queryRunner.query(
      `CREATE TABLE "signing_keys" ("id" text PRIMARY KEY NOT NULL, "purpose" text NOT NULL, "algorithm" text NOT NULL, "public_jwk" text NOT NULL, "private_jwk" blob NOT NULL, "created_at" bigint NOT NULL, "active_at" bigint NOT NULL, "retired_at" bigint)`,
    )
    await queryRunner.query(`CREATE INDEX "signing_keys_purpose_active_at" ON "signing_keys" ("purpose", "active_at") `)
    await queryRunner.query(
      `CREATE TABLE "idempotency_keys" ("id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "request" text NOT NULL, "answer" blob NOT NULL, "subject_id" text, "expires_at" bigint NOT NULL)`,
    )
    await queryRunner.query(`CREATE INDEX "idempotency_keys_expires_at" ON "idempotency_keys" ("expires_at") `)
    await queryRunner.query(`CREATE INDEX "idempotency_keys_subject_id" ON "idempotency_keys" ("subject_id") `)
    await queryRunner.query(`CREATE TABLE "rate_limits" ("id" text PRIMARY KEY NOT NULL, "full_at_us" bigint NOT NULL)`)
    await queryRunner.query(`CREATE INDEX "rate_limits_full_at_us" ON "rate_limits" ("full_at_us") `)
    await queryRunner.query(
      `CREATE TABLE "erasures" ("id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "subject" text NOT NULL, "subject_id" text NOT NULL, "erased_by" text NOT NULL, "counts" text NOT NULL, "erased_at" bigint NOT NULL, "reached" text, "completed_at" bigint)`,
    )
    await queryRunner.query(
      `CREATE UNIQUE INDEX "erasures_account_id_subject_id" ON "erasures" ("account_id", "subject_id") `,
    )
    await queryRunner.query(`CREATE INDEX "erasures_completed_at" ON "erasures" ("completed_at") `)
    await queryRunner.query(`CREATE TABLE "facts" ("name" text PRIMARY KEY NOT NULL, "value" text NOT NULL)`)
    await queryRunner.query(
      `CREATE TABLE "operators" ("id" text PRIMARY KEY NOT NULL, "name" text NOT NULL, "role" text NOT NULL, "password" text NOT NULL, "totp_secret" blob NOT NULL, "totp_step" bigint, "created_at" bigint NOT NULL, "disabled_at" bigint, "last_login_at" bigint)`,
    )
    await queryRunner.query(`CREATE UNIQUE INDEX "operators_name" ON "operators" ("name") `)
    await queryRunner.query(
      `CREATE TABLE "operator_sessions" ("id" text PRIMARY KEY NOT NULL, "operator_id" text NOT NULL, "token_hash" text NOT NULL, "created_at" bigint NOT NULL, "last_seen_at" bigint NOT NULL, "address" text NOT NULL, "user_agent" text NOT NULL)`,
    )
    await queryRunner.query(`CREATE UNIQUE INDEX "operator_sessions_token_hash" ON "operator_sessions" ("token_hash") `)
    await queryRunner.query(`CREATE INDEX "operator_sessions_operator_id" ON "operator_sessions" ("operator_id") `)
    await queryRunner.query(
      `CREATE TABLE "nodes" ("id" text PRIMARY KEY NOT NULL, "url" text NOT NULL, "version" text NOT NULL, "roles" text NOT NULL, "started_at" bigint NOT NULL, "seen_at" bigint NOT NULL, "state" text NOT NULL)`,
    )
    await queryRunner.query(`CREATE INDEX "nodes_seen_at" ON "nodes" ("seen_at") `)
    await queryRunner.query(
      `CREATE TABLE "audit" ("sequence" integer PRIMARY KEY NOT NULL, "occurred_at" bigint NOT NULL, "operator_id" text, "client_id" text, "action" text NOT NULL, "address" text NOT NULL, "subject_type" text, "subject_id" text, "account_id" text, "details" text NOT NULL, "hash" text NOT NULL)`,
    )
    await queryRunner.query(`CREATE INDEX "audit_occurred_at" ON "audit" ("occurred_at") `)
    await queryRunner.query(`CREATE INDEX "audit_operator_id_sequence" ON "audit" ("operator_id", "sequence") `)
    await queryRunner.query(`CREATE INDEX "audit_client_id_sequence" ON "audit" ("client_id", "sequence") `)
    await queryRunner.query(`CREATE INDEX "audit_subject_id_sequence" ON "audit" ("subject_id", "sequence") `)
    await queryRunner.query(`CREATE INDEX "audit_action_sequence" ON "audit" ("action", "sequence") `)
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "audit_action_sequence"`)
    await queryRunner.query(`DROP INDEX "audit_subject_id_sequence"`)
    await queryRunner.query(`DROP INDEX "audit_client_id_sequence"`)
    await queryRunner.query(`DROP INDEX "audit_operator_id_sequence"`)
    await queryRunner.query(`DROP INDEX "audit_occurred_at"`)
    await queryRunner.query(`DROP TABLE "audit"`)
    await queryRunner.query(`DROP INDEX "nodes_seen_at"`)
    await queryRunner.query(`DROP TABLE "nodes"`)
    await queryRunner.query(`DROP INDEX "operator_sessions_operator_id"`)
    await queryRunner.query(`DROP INDEX "operator_sessions_token_hash"`)
    await queryRunner.query(`DROP TABLE "operator_sessions"`)
    await queryRunner.query(`DROP INDEX "operators_name"`)
    await queryRunner.query(`DROP TABLE "operators"`)
    await queryRunner.query(`DROP TABLE "facts"`)
    await queryRunner.query(`DROP INDEX "erasures_completed_at"`)
    await queryRunner.query(`DROP INDEX "erasures_account_id_subject_id"`)
    await queryRunner.query(`DROP TABLE "erasures"`)
    await queryRunner.query(`DROP INDEX "rate_limits_full_at_us"`)
    await queryRunner.query(`DROP TABLE "rate_limits"`)
    await queryRunner.query(`DROP INDEX "idempotency_keys_subject_id"`)
    await queryRunner.query(`DROP INDEX "idempotency_keys_expires_at"`)
    await queryRunner.query(`DROP TABLE "idempotency_keys"`)
    await queryRunner.query(`DROP INDEX "signing_keys_purpose_active_at"`)
    await queryRunner.query(`DROP TABLE "signing_keys"`)
    await queryRunner.query(`DROP INDEX "origins_account_id"`)
    await queryRunner.query(`DROP TABLE "origins"`)
    await queryRunner.query(`DROP INDEX "delivery_attempts_delivery_id_started_at"`)
    await queryRunner.query(`DROP TABLE "delivery_attempts"`)
    await queryRunner.query(`DROP INDEX "deliveries_account_id_occurred_at_id"`)
    await queryRunner.query(`DROP INDEX "deliveries_chart_version_status_occurred_at"`)
    await queryRunner.query(`DROP INDEX "deliveries_transaction_id_sequence"`)
    await queryRunner.query(`DROP TABLE "deliveries"`)
    await queryRunner.query(`DROP INDEX "object_removals_transaction_id"`)
    await queryRunner.query(`DROP INDEX "object_removals_remove_at"`)
    await queryRunner.query(`DROP TABLE "object_removals"`)
    await queryRunner.query(`DROP TABLE "content_pieces"`)
    await queryRunner.query(`DROP INDEX "captures_kind_created_at"`)
    await queryRunner.query(`DROP INDEX "captures_account_id_digest"`)
    await queryRunner.query(`DROP INDEX "captures_transaction_id"`)
    await queryRunner.query(`DROP TABLE "captures"`)
    await queryRunner.query(`DROP INDEX "transaction_issues_account_id_code_transaction_id"`)
    await queryRunner.query(`DROP INDEX "transaction_issues_transaction_id"`)
    await queryRunner.query(`DROP TABLE "transaction_issues"`)
    await queryRunner.query(`DROP INDEX "handoffs_transaction_id"`)
    await queryRunner.query(`DROP INDEX "handoffs_token_hash"`)
    await queryRunner.query(`DROP TABLE "handoffs"`)
    await queryRunner.query(`DROP INDEX "transactions_customer_id_created_at_id"`)
    await queryRunner.query(`DROP INDEX "transactions_account_id_reference_created_at_id"`)
    await queryRunner.query(`DROP INDEX "transactions_account_id_decision_status_created_at_id"`)
    await queryRunner.query(`DROP INDEX "transactions_account_id_transaction_type_status_created_at_id"`)
    await queryRunner.query(`DROP INDEX "transactions_account_id_created_at_id"`)
    await queryRunner.query(`DROP INDEX "transactions_chart_version_status"`)
    await queryRunner.query(`DROP INDEX "transactions_awaiting_review_since_id"`)
    await queryRunner.query(`DROP INDEX "transactions_token_hash"`)
    await queryRunner.query(`DROP TABLE "transactions"`)
    await queryRunner.query(`DROP INDEX "customers_account_id_created_at_id"`)
    await queryRunner.query(`DROP INDEX "customers_account_id_lookup"`)
    await queryRunner.query(`DROP TABLE "customers"`)
    await queryRunner.query(`DROP INDEX "clients_account_id"`)
    await queryRunner.query(`DROP TABLE "clients"`)
    await queryRunner.query(`DROP TABLE "accounts"`)
    await queryRunner.query(`DROP INDEX "commit_fences_made_at"`)
    await queryRunner.query(`DROP TABLE "commit_fences"`)
    await queryRunner.query(`DROP INDEX "scheduled_jobs_lease"`)
    await queryRunner.query(`DROP INDEX "scheduled_jobs_actor_id_name"`)
    await queryRunner.query(`DROP INDEX "scheduled_jobs_queue_lane_ready_at_id"`)
    await queryRunner.query(`DROP TABLE "scheduled_jobs"`)
    await queryRunner.query(`DROP TABLE "journal"`)
  }
}
