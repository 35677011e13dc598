import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Initial1795236986474 implements MigrationInterface {
  name = 'Initial1795236986474'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "accounts" ("id" text PRIMARY KEY NOT NULL, "name" text NOT NULL, "created_at" bigint NOT NULL)`,
    )
    await queryRunner.query(
      `CREATE TABLE "clients" ("id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "secret_hmac" text NOT NULL, "created_at" bigint NOT NULL, "revoked_at" bigint)`,
    )
    await queryRunner.query(`CREATE INDEX "clients_account_id" ON "clients" ("account_id") `)
    await queryRunner.query(
      `CREATE TABLE "customers" ("id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "lookup" text NOT NULL, "profile" blob NOT NULL, "data_key" blob NOT NULL, "face" blob, "face_transaction_id" text, "created_at" bigint NOT NULL)`,
    )
    await queryRunner.query(
      `CREATE UNIQUE INDEX "customers_account_id_lookup" ON "customers" ("account_id", "lookup") `,
    )
    await queryRunner.query(
      `CREATE TABLE "transactions" ("id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "snapshot" text NOT NULL, "version" integer NOT NULL, "chart_version" integer NOT NULL, "status" text NOT NULL, "created_at" bigint NOT NULL, "customer_id" text NOT NULL, "transaction_type" text NOT NULL, "config" text NOT NULL, "expected_data" blob, "token_hash" text NOT NULL, "expires_at" bigint NOT NULL, "initiated_at" bigint, "completed_at" bigint, "processing_at" bigint, "finished_at" bigint, "result" blob)`,
    )
    await queryRunner.query(`CREATE UNIQUE INDEX "transactions_token_hash" ON "transactions" ("token_hash") `)
    await queryRunner.query(
      `CREATE INDEX "transactions_account_id_created_at" ON "transactions" ("account_id", "created_at") `,
    )
    await queryRunner.query(`CREATE INDEX "transactions_customer_id" ON "transactions" ("customer_id") `)
    await queryRunner.query(
      `CREATE INDEX "transactions_chart_version_status" ON "transactions" ("chart_version", "status") `,
    )
    await queryRunner.query(
      `CREATE TABLE "captures" ("id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "transaction_id" text NOT NULL, "kind" text NOT NULL, "media_type" text NOT NULL, "digest" text NOT NULL, "byte_count" integer NOT NULL, "content" blob NOT NULL, "created_at" bigint NOT NULL)`,
    )
    await queryRunner.query(`CREATE INDEX "captures_transaction_id" ON "captures" ("transaction_id") `)
    await queryRunner.query(
      `CREATE TABLE "deliveries" ("id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "snapshot" text NOT NULL, "version" integer NOT NULL, "chart_version" integer NOT NULL, "status" text NOT NULL, "created_at" bigint NOT NULL, "transaction_id" text NOT NULL, "sequence" integer NOT NULL, "event_id" text NOT NULL, "told_status" text NOT NULL, "occurred_at" bigint NOT NULL)`,
    )
    await queryRunner.query(
      `CREATE UNIQUE INDEX "deliveries_transaction_id_sequence" ON "deliveries" ("transaction_id", "sequence") `,
    )
    await queryRunner.query(
      `CREATE INDEX "deliveries_chart_version_status" ON "deliveries" ("chart_version", "status") `,
    )
    await queryRunner.query(
      `CREATE TABLE "journal" ("actor_id" text NOT NULL, "sequence" integer NOT NULL, "account_id" text NOT NULL, "kind" text NOT NULL, "event" text NOT NULL, "status" text NOT NULL, "occurred_at" bigint NOT NULL, PRIMARY KEY ("actor_id", "sequence"))`,
    )
    await queryRunner.query(
      `CREATE TABLE "due" ("id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "queue" text NOT NULL, "kind" text NOT NULL, "actor_id" text NOT NULL, "name" text NOT NULL, "payload" text NOT NULL, "ready_at" bigint NOT NULL, "lease" text, "claims" integer NOT NULL)`,
    )
    await queryRunner.query(`CREATE INDEX "due_queue_ready_at_id" ON "due" ("queue", "ready_at", "id") `)
    await queryRunner.query(`CREATE UNIQUE INDEX "due_actor_id_name" ON "due" ("actor_id", "name") `)
    await queryRunner.query(`CREATE INDEX "due_lease" ON "due" ("lease") `)
    await queryRunner.query(
      `CREATE TABLE "signing_keys" ("id" text PRIMARY KEY NOT NULL, "purpose" text NOT NULL, "algorithm" text NOT NULL, "public_jwk" text NOT NULL, "private_jwk" blob NOT NULL, "created_at" bigint NOT NULL, "active_at" bigint NOT NULL, "retired_at" bigint)`,
    )
    await queryRunner.query(`CREATE INDEX "signing_keys_purpose_active_at" ON "signing_keys" ("purpose", "active_at") `)
    await queryRunner.query(`CREATE TABLE "facts" ("name" text PRIMARY KEY NOT NULL, "value" text NOT NULL)`)
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "facts"`)
    await queryRunner.query(`DROP INDEX "signing_keys_purpose_active_at"`)
    await queryRunner.query(`DROP TABLE "signing_keys"`)
    await queryRunner.query(`DROP INDEX "due_lease"`)
    await queryRunner.query(`DROP INDEX "due_actor_id_name"`)
    await queryRunner.query(`DROP INDEX "due_queue_ready_at_id"`)
    await queryRunner.query(`DROP TABLE "due"`)
    await queryRunner.query(`DROP TABLE "journal"`)
    await queryRunner.query(`DROP INDEX "deliveries_chart_version_status"`)
    await queryRunner.query(`DROP INDEX "deliveries_transaction_id_sequence"`)
    await queryRunner.query(`DROP TABLE "deliveries"`)
    await queryRunner.query(`DROP INDEX "captures_transaction_id"`)
    await queryRunner.query(`DROP TABLE "captures"`)
    await queryRunner.query(`DROP INDEX "transactions_chart_version_status"`)
    await queryRunner.query(`DROP INDEX "transactions_customer_id"`)
    await queryRunner.query(`DROP INDEX "transactions_account_id_created_at"`)
    await queryRunner.query(`DROP INDEX "transactions_token_hash"`)
    await queryRunner.query(`DROP TABLE "transactions"`)
    await queryRunner.query(`DROP INDEX "customers_account_id_lookup"`)
    await queryRunner.query(`DROP TABLE "customers"`)
    await queryRunner.query(`DROP INDEX "clients_account_id"`)
    await queryRunner.query(`DROP TABLE "clients"`)
    await queryRunner.query(`DROP TABLE "accounts"`)
  }
}
