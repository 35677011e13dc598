import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Deliveries1795372117001 implements MigrationInterface {
  name = 'Deliveries1795372117001'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "due_queue_ready_at_id"`)
    await queryRunner.query(
      `CREATE TABLE "delivery_attempts" ("id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "delivery_id" text NOT NULL, "attempt" integer NOT NULL, "started_at" bigint NOT NULL, "duration_ms" integer NOT NULL, "outcome" text NOT NULL, "http_status" integer, "address" text, "error" text, "answer" blob)`,
    )
    await queryRunner.query(
      `CREATE INDEX "delivery_attempts_delivery_id_started_at" ON "delivery_attempts" ("delivery_id", "started_at") `,
    )
    await queryRunner.query(
      `CREATE TABLE "origins" ("id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "origin" text NOT NULL, "failing_since" bigint, "paused_at" bigint)`,
    )
    await queryRunner.query(`CREATE INDEX "origins_account_id" ON "origins" ("account_id") `)
    await queryRunner.query(`ALTER TABLE "transactions" ADD COLUMN "turns" integer`)
    await queryRunner.query(`ALTER TABLE "deliveries" ADD COLUMN "origin_id" text`)
    await queryRunner.query(`ALTER TABLE "due" ADD COLUMN "lane" text NOT NULL DEFAULT ('')`)
    await queryRunner.query(`CREATE INDEX "due_queue_lane_ready_at_id" ON "due" ("queue", "lane", "ready_at", "id") `)
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "due_queue_lane_ready_at_id"`)
    await queryRunner.query(`ALTER TABLE "due" DROP COLUMN "lane"`)
    await queryRunner.query(`ALTER TABLE "deliveries" DROP COLUMN "origin_id"`)
    await queryRunner.query(`ALTER TABLE "transactions" DROP COLUMN "turns"`)
    await queryRunner.query(`DROP INDEX "origins_account_id"`)
    await queryRunner.query(`DROP TABLE "origins"`)
    await queryRunner.query(`DROP INDEX "delivery_attempts_delivery_id_started_at"`)
    await queryRunner.query(`DROP TABLE "delivery_attempts"`)
    await queryRunner.query(`CREATE INDEX "due_queue_ready_at_id" ON "due" ("queue", "ready_at", "id") `)
  }
}
