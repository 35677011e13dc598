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
      `CREATE TABLE "orders" ("id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "clock_offset_ms" bigint, "snapshot" text NOT NULL, "version" integer NOT NULL, "chart_version" integer NOT NULL, "status" text NOT NULL, "journal_hash" text NOT NULL, "journal_at" bigint NOT NULL, "created_at" bigint NOT NULL, "held_job" text, "held_until" bigint, "customer" text NOT NULL, "paid_at" bigint)`,
    )
    await queryRunner.query(`CREATE INDEX "orders_chart_version_status" ON "orders" ("chart_version", "status") `)
    await queryRunner.query(`CREATE INDEX "orders_held_until" ON "orders" ("held_until") `)
    await queryRunner.query(
      `CREATE TABLE "invoices" ("order_id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "receipt" text NOT NULL, "created_at" bigint NOT NULL)`,
    )
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "invoices"`)
    await queryRunner.query(`DROP INDEX "orders_held_until"`)
    await queryRunner.query(`DROP INDEX "orders_chart_version_status"`)
    await queryRunner.query(`DROP TABLE "orders"`)
    await queryRunner.query(`DROP INDEX "scheduled_jobs_lease"`)
    await queryRunner.query(`DROP INDEX "scheduled_jobs_actor_id_name"`)
    await queryRunner.query(`DROP INDEX "scheduled_jobs_queue_lane_ready_at_id"`)
    await queryRunner.query(`DROP TABLE "scheduled_jobs"`)
    await queryRunner.query(`DROP TABLE "journal"`)
  }
}
