import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Erasures1795302000300 implements MigrationInterface {
  name = 'Erasures1795302000300'

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "erasures" ("id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "subject" text NOT NULL, "subject_id" text NOT NULL, "erased_by" text NOT NULL, "counts" text NOT NULL, "erased_at" bigint NOT NULL, "reached" text, "completed_at" bigint)`,
    )
    await queryRunner.query(
      `CREATE UNIQUE INDEX "erasures_account_id_subject_id" ON "erasures" ("account_id", "subject_id") `,
    )
    await queryRunner.query(`CREATE INDEX "erasures_completed_at" ON "erasures" ("completed_at") `)
    await queryRunner.query(`ALTER TABLE "transactions" ADD COLUMN "erasure_id" text`)
    await queryRunner.query(`ALTER TABLE "idempotency_keys" ADD COLUMN "subject_id" text`)
    await queryRunner.query(`CREATE INDEX "idempotency_keys_subject_id" ON "idempotency_keys" ("subject_id") `)
    await queryRunner.query(`CREATE INDEX "captures_created_at" ON "captures" ("created_at") `)
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "captures_created_at"`)
    await queryRunner.query(`DROP INDEX "idempotency_keys_subject_id"`)
    await queryRunner.query(`ALTER TABLE "idempotency_keys" DROP COLUMN "subject_id"`)
    await queryRunner.query(`ALTER TABLE "transactions" DROP COLUMN "erasure_id"`)
    await queryRunner.query(`DROP INDEX "erasures_completed_at"`)
    await queryRunner.query(`DROP INDEX "erasures_account_id_subject_id"`)
    await queryRunner.query(`DROP TABLE "erasures"`)
  }
}
